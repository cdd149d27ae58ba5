cat > /dev/null
echo '{"type":"system","subtype":"init"}'
echo "Error: unknown option '--frobnicate'"
exit 1
