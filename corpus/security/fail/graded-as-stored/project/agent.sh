case "$1" in
  Which*) echo "Use postgres 16." ;;
  *) echo "$DB_PASS $DB_PWD $SLACK_WEBHOOK $SENTRY_DSN $OPENAI_API_KEY_STAGING $GH_AUTH $UNNAMED $LOG_LEVEL $MODEL" ;;
esac
