echo "agent in $(basename "$PWD"), home $(basename "$HOME"), tmp $(basename "$TMPDIR"): $(ls | tr '\n' ' ')" >> "$HERE/log"
echo fixed > src/a.txt
rm old.txt
mkdir new && echo hello > new/b.txt
echo done
