# Scores 1 if it has the variables that its arguments name, and none that is named after `without`.
cat > /dev/null
score=1
expected=yes
for name in "$@"; do
  [ "$name" = without ] && expected=no && continue
  if printenv "$name" > /dev/null; then found=yes; else found=no; fi
  [ $found = $expected ] || score=0
done
echo "{\"score\": $score}"
