# Answers right the first two times that it is asked about a case: once in each run.
echo >> "asked-$1"
[ "$(wc -l < "asked-$1")" -le 2 ] && echo right || echo wrong
