cat "$1" >> asked
sed 's/"question"/"text"/' "$1"
