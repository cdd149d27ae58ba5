#!/bin/sh
printf %s "$1" | tr a-z A-Z
