n=$(cat count 2>/dev/null || echo 0)
n=$((n + 1))
echo "$n" > count
echo "$n"
