import { quote } from '../../../core/text/quote.ts';
import type { Integration } from './integration.ts';

/**
 * fish with its line editor, because fish runs no job of a user's without one. The editor is never on the screen: the hook of the prompt
 * waits until a line is there, and aish drops the editor's drawing from then until the line begins. A key that no user types has it take
 * the line and run it, so fish itself does the rest: its history, abbreviations, events and job control.
 *
 * fish reads aish's functions behind the user's files. They are not exported, and `builtin` precedes each name that a function may hide.
 */
export const fish: Integration = {
  injection: '\x1e',
  blank: '\n',
  repair: '\x1e',
  complete: '\x1e',
  dropsHooks: true,
  // The editor writes a title, sets the colours back and goes to the first column before a command begins.
  editor: {
    lead: /^(?:\x1b\[[?0-9;]*[a-z]|\x1b\(B|\x0f|\x1b\][^\x07]*\x07)*\r/i,
    // If the output ended within a row, fish goes to the next one.
    trail:
      /(?:\x1b\[\??[0-9;]*[a-z])*(?:\xe2\x8f\x8e|\xc2\xb6|~)?(?:\x1b\[[0-9;]*m|\x1b\(B|\x0f)* +\r(?:\xe2\x8f\x8e|\xc2\xb6|~)? *\r(?:\x1b\[K)?|\x1b\[\?2004[hl]|\x1b\[\?25h/gi,
  },
  toEntry: () => null,
  prepare: ({ folder, nonce, login, renderPrompt, withoutStartup }) => ({
    args: [
      ...(withoutStartup ? ['--no-config'] : []),
      ...(login ? ['-l'] : []),
      '-i',
      '-C',
      `source ${quote(`${folder}/rc`)}`,
    ],
    env: {},
    secret: 'rc',
    files: { rc: definitions(folder, nonce, renderPrompt) },
  }),
};

function definitions(folder: string, nonce: string, renderPrompt: boolean): string {
  return `set -g __aish_n '${nonce}'
set -g __aish_f ${quote(folder)}
set -g __aish_w ${renderPrompt ? '1' : "''"}
${FUNCTIONS}
__aish_mark S
__aish_wait 0
if builtin test -r $__aish_f/restore
    # fish counts its own level.
    builtin string match -v 'export SHLVL=*' <$__aish_f/restore | builtin source 2>/dev/null
end
__aish_mark R
`;
}

const FUNCTIONS = String.raw`set -g __aish_s 0
set -g __aish_k
set -g __aish_wh
function __aish_mark
    builtin printf '\e]7711;%s;%s\a' $__aish_n "$argv[1]" >/dev/tty
end
function __aish_as
    return $argv[1]
end
function __aish_wait
    while builtin read -l line
        if builtin test "$line" = "$argv[1]"
            return 0
        else if builtin test "$line" = again -a "$argv[1]" != 0
            __aish_mark "W;$__aish_s"
        else if builtin test "$line" = cancel
            emit fish_cancel
        end
    end <$__aish_f/ack
end
function __aish_begin --on-event fish_preexec
    __aish_title "$argv[1]"
    __aish_mark C
end
function __aish_done --on-event fish_postexec
    set -l last $status
    if builtin test -n "$__aish_pushed"
        set last 123
    end
    __aish_end $last
end
function __aish_end
    set -l where $PWD
    if builtin string match -rq '[[:cntrl:]]' -- "$where"
        set where
    end
    __aish_mark "D;$argv[1];$__aish_k;$where"
    set -g __aish_k
    # What the command was not to have stayed with the shell.
    for name in $__aish_wh
        if set -q $name
            set -x $name $$name
        end
    end
    set -g __aish_wh
end
function __aish_leave --on-event fish_exit
    if not builtin string match -rq '[[:cntrl:]]' -- "$PWD"
        __aish_mark "X;$PWD"
    end
end
function __aish_prompt --on-event fish_prompt
    set -l last $status
    set -l parts $pipestatus
    # A comment runs nothing, so no event tells of it.
    if builtin test -n "$__aish_k"
        __aish_mark C
        __aish_end $last
    end
    set -g __aish_last $last
    __aish_report $last $parts
    __aish_title
    if not builtin test -e $__aish_f/keys
        begin
            builtin echo "$fish_key_bindings"
            builtin bind --user
        end >$__aish_f/keys 2>/dev/null
    end
    set -g __aish_s (builtin math $__aish_s + 1)
    __aish_mark "W;$__aish_s"
    __aish_wait $__aish_s
    __aish_exports
    __aish_names
    for mode in default insert visual paste
        bind -M $mode \x1e __aish_go
    end
    __aish_wait go
    __aish_mark N
end
# Statuses of a pipeline are set by one.
function __aish_render
    set -l run __aish_as\ $argv[2..]
    if builtin test (count $run) -eq 0
        set run "__aish_as $argv[1]"
    end
    builtin eval (builtin string join ' | ' -- $run)
    $__aish_shows
end
# The title of the window, for terminals for which fish sets it.
function __aish_title
    if builtin functions -q fish_title; and not builtin string match -rq '^(dumb$|linux|vt|eterm)' -- "$TERM"
        set -l title (fish_title $argv 2>/dev/null)
        __aish_mark "T;"(builtin string replace -ra '[[:cntrl:]]' ' ' -- "$title")
    end
end
function __aish_report
    set -l shown
    set -l own
    if builtin test -n "$__aish_w"
        for name in fish_prompt fish_right_prompt
            set -g __aish_shows $name
            set -a shown (builtin functions -q $name; and __aish_render $argv 2>/dev/null | builtin string collect --allow-empty)
            if builtin functions -q $name; and not __aish_is_shipped $name
                set own $name
            end
        end
    end
    begin
        set -l environment $VIRTUAL_ENV_PROMPT $VIRTUAL_ENV $CONDA_DEFAULT_ENV
        # fish joins the lines of a right prompt.
        set -l left (builtin string sub -l 8192 -- "$shown[1]" | builtin string collect --allow-empty)
        set -l right (builtin string replace -a \n '' -- "$shown[2]" | builtin string sub -l 1024 | builtin string collect --allow-empty)
        builtin printf '%s\0%s\0%s\0%s\0' "$left" "$right" "$own" "$environment[1]"
        set -l jobs (builtin jobs)
        __aish_rows $jobs
        builtin printf '\0fish\0\0\0%s\0' "$__aish_pushed"
        __aish_rows (__aish_ended $jobs)
        builtin printf '\0'
        set -g __aish_jobs $jobs
    end >$__aish_f/report
    set -g __aish_pushed
end
function __aish_rows
    builtin string replace -rf '^(\d+)\t\d+\t(?:[^\t]*%\t)?(\w+)\t' '[$1]  $2  ' -- $argv
end
# fish tells of an end only when its editor reads. A job that is gone from the list may as well have been disowned, or have come to the foreground.
function __aish_ended
    for job in $__aish_jobs
        set -l parts (builtin string split \t -- $job)
        if builtin string match -rq '^\d+$' -- "$parts[2]"; and not builtin string match -q -- "$parts[1]"\t"$parts[2]"\t'*' $argv
            if not builtin string match -rq '^\s*(fg|wait)\b' -- "$__aish_line"; and not command kill -0 -- -$parts[2] 2>/dev/null
                builtin string replace -r '\t(running|stopped)\t' '\tended\t' -- $job
            end
        end
    end
end
# Quoted in the way that fish and the other shells read alike. Mostly nothing has changed.
function __aish_exports
    set -l now (set -x | builtin string collect)
    if builtin test "$now" = "$__aish_x"
        return
    end
    set -g __aish_x $now
    begin
        for name in (set -nx)
            builtin printf "export %s='%s'\n" $name (builtin string replace -ra "[\\\\']" "'\\\\\$0'" -- "$$name" | builtin string collect --allow-empty)
        end
        builtin printf '\0'
    end >$__aish_f/exports
end
# Of functions that fish comes with, those are looked at whose name is a program's or a builtin's too: somebody may have put another there.
function __aish_shipped
    set -g __aish_bn (builtin builtin -n)
    set -g __aish_sh (builtin string replace -r '.*/(.*)\.fish$' '$1' -- $__fish_data_dir/functions/*.fish)
    for name in (builtin functions -an)
        if not builtin contains -- $name $__aish_sh; and __aish_is_shipped $name
            set -a __aish_sh $name
        end
    end
    set -g __aish_lk
    for name in (builtin string match -rv '^_|^fish_' -- $__aish_sh)
        if builtin contains -- $name $__aish_bn; or builtin command -q $name
            set -a __aish_lk $name
        end
    end
end
function __aish_is_shipped
    builtin string match -q -- "$__fish_data_dir/*" (builtin functions --details $argv[1])
end
function __aish_names
    if not set -q __aish_lk
        __aish_shipped
    end
    set -l other
    for name in $__aish_lk
        if not __aish_is_shipped $name
            set -a other $name
        end
    end
    begin
        builtin printf '%s\n' '= alias' (abbr --list) '= function' (builtin functions -an) '= shipped' $__aish_sh '= replaced' $other \
            '= builtin' $__aish_bn '= keyword' and or not if else switch case while for in function begin end time \
            '= variable' (set -n) '= path' (builtin string join : -- $PATH) '= option' hup (__aish_option) \
            '= abbreviation' (abbr --show) '= end'
        builtin printf '%s\0' $__aish_s
    end >$__aish_f/names
end
function __aish_option
    if builtin string match -q '*vi_key_bindings' -- "$fish_key_bindings"
        builtin echo vi
    end
end
function __aish_go
    set -l text (builtin string collect <$__aish_f/command)
    set -l parts (builtin string split -m 1 \n -- "$text")
    set -l how (builtin string split ' ' -- "$parts[1]")
    set -g __aish_line "$parts[2]"
    set -g __aish_k $how[2]
    set -g __aish_wh $how[3..]
    for name in $__aish_wh
        if set -q $name
            set -u $name $$name
        end
    end
    if builtin test "$how[1]" = drop
        set __aish_line " $__aish_line"
    end
    builtin commandline -r -- "$__aish_line"
    # The editor would wait for the rest of what is not whole.
    builtin commandline --is-valid
    set -l state $status
    if builtin test -n "$__aish_k" -a $state != 0
        builtin commandline -r -- ' builtin eval $__aish_line'
    end
    # A line with a mistake comes back for correction, and the status is that of the line before.
    if builtin test -n "$__aish_k" -a $state = 1
        set -g __aish_pushed $__aish_line
        builtin commandline -a -- '; __aish_as $__aish_last'
    end
    # fish expands the abbreviation at the cursor.
    set -l first (builtin string match -r '^\s*[^\s;|&<>()]+' -- "$__aish_line")
    builtin commandline -C (builtin string length -- "$first")
    builtin commandline -f expand-abbr end-of-buffer execute
end
`;
