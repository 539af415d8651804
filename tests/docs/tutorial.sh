#!/usr/bin/env bash
# Carries out docs/adding-an-operator.md: its spec passes --check in a copy of opspecs/, its mistake gives its message.
#   tutorial.sh OPGEN REPOSITORY
set -euo pipefail
opgen=$1 repository=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$repository/opspecs" "$repository/templates" "$work/"
page=$repository/docs/adding-an-operator.md

file=$(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$page")
# The operator of the tutorial may have been added since.
grep -rlE "^(- )?op: thresholded_relu$" "$work/opspecs" | while read -r other; do
  # A list of specs loses that one item.
  awk "/^- op: thresholded_relu\$/{skip=1; next} /^- /{skip=0} !skip" "$other" > "$work/kept" && mv "$work/kept" "$other"
done
awk '/^<!-- file: /{found=1} found && /^```$/{exit} found && inside{print} found && /^```yaml$/{inside=1}' "$page" > "$work/$file"

"$opgen" --root "$work" --check
"$opgen" explain thresholded_relu --opset 9 --root "$work" > "$work/told"
awk '/^thresholded_relu at opset/{inside=1} inside && /^```$/{exit} inside{print}' "$page" | diff - "$work/told"

sed -i 's/attrs: \[threshold, /attrs: [threshhold, /' "$work/$file"
if "$opgen" --root "$work" --check 2> "$work/messages"; then
  echo "the misspelt attribute passed --check"
  exit 1
fi
awk '/threshhold.*unknown-attribute/{inside=1} inside && /^```$/{exit} inside{print}' "$page" > "$work/expected"
grep -F -A 3 "$(head -n 1 "$work/expected")" "$work/messages" | diff "$work/expected" -
