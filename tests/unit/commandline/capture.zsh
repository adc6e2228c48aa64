# Prints what zsh offers for a command line: zsh -f capture.zsh SCRIPT LINE CACHE
# A second zsh on a pseudo-terminal presses Tab; its compadd prints the matches instead of showing them.
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i

expect() {
    local seen=
    while zpty -r shell chunk; do
        seen+=$chunk
        [[ $seen != *$1* ]] || return 0
    done
    return 1
}

setup=$(mktemp)
cat >$setup <<EOF
PROMPT=
autoload -U compinit && compinit -C -d $3
source $1
compdef _vppcfg vppcfg
bindkey '^I' complete-word
bindkey '^M' undefined
bindkey '^J' undefined
start_matches() { echo -E - BEGIN-MATCHES }
end_matches() { echo -E - END-MATCHES; exit }
compprefuncs=( start_matches )
comppostfuncs=( end_matches )
compadd() {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "\$@"
        return
    fi
    local -a hits
    builtin compadd -O hits "\$@"
    (( \${#hits} )) || return 1
    print -rl -- "match:"\${^hits}
    builtin compadd "\$@"
}
echo READY
EOF
zpty -w shell "source $setup"
expect READY || exit 1
rm -f $setup
zpty -n -w shell "$2"$'\t'
expect BEGIN-MATCHES || exit 1
while zpty -r shell line; do
    line=${line%%$'\r'#$'\n'}
    [[ $line != *END-MATCHES* ]] || break
    [[ $line != match:* ]] || print -r -- ${line#match:}
done
