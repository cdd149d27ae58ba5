test -e made.txt
