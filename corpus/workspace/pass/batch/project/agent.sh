n=$(grep -c . "$1")
inside=
test "$(basename "$PWD")" = work && inside=" in work"
while read -r row; do
  id=$(echo "$row" | sed -e 's/.*"id":"\([^"]*\)".*/\1/')
  echo "{\"id\": \"$id\", \"text\": \"$id of $n$inside\"}"
done < "$1"
