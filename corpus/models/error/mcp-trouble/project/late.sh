echo Welcome
echo still starting >&2
exec sleep 1000
