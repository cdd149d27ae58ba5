# The first line of `answers` is the answer; `error` is none.
answer=$(head -n 1 answers)
sed -i 1d answers
[ "$answer" != error ] && echo "$answer"
