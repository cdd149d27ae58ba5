#!/bin/sh
# Plays an agent: fixes the program in its workspace, and says what it did.
set -eu
printf '#!/bin/sh\nprintf "Hello, %%s!\\n" "$1"\n' > greet.sh
echo "I fixed greet.sh: it prints the name that it gets."
