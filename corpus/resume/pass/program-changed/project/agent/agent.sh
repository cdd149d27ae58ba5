echo "one $(cat lib/words.txt 2> /dev/null)"
