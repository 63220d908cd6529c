import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-models.ts';

test('the texts of the doctor', () => {
  const all = printMessages(messages, {
    formatModelAdded: [['local', '/c/config.toml']],
    formatUnknownPackage: [['foo', ['azure', 'cohere']]],
    formatOwnName: [['openai']],
    formatInstalling: [['@ai-sdk/cohere', '3.0.63']],
    formatInstalled: [
      ['cohere', '@ai-sdk/cohere 3.0.63, 207 kB of code', 'COHERE_API_KEY'],
      ['talk', 'talk-provider 1.2.0, 2 kB of code', undefined],
    ],
    formatCode: [['@ai-sdk/cohere', '3.0.63', 207]],
    formatUninstalled: [['cohere']],
    formatNotInstalled: [['cohere']],
    formatInstalledOn: [['2026-11-01']],
    formatOutdated: [['2026-11-01']],
    formatAsking: [['local']],
    formatWaited: [[['loading', 'rate-limited']]],
    formatSpeed: [
      ['0.21', '45'],
      ['0.21', null],
    ],
    formatWindow: [[32_768]],
    formatWindowDiffers: [[4096, 32_768]],
    formatDiffersCure: [[4096]],
    formatLessonLine: [['refuses stream_options, so aish leaves it out']],
    formatKept: [['local']],
    formatConfigGood: [['/c/config.toml']],
    formatShellGood: [['/bin/bash']],
    formatShellBroken: [['/bin/bash']],
    formatTerminalGood: [['xterm-256color']],
    formatLocaleGood: [['C.UTF-8']],
    formatSandboxGood: [['bubblewrap']],
    formatSandboxMissing: [['bubblewrap is not installed']],
    formatGitGood: [['git version 2.43.0']],
    formatServerGood: [['local', 'http://127.0.0.1:8080/v1']],
    formatServerStarts: [['local']],
    formatMcpGood: [['fs', 9]],
    formatMcpBroken: [['fs', 'connection refused']],
    formatRunsWaiting: [[['r1 (/w/site)', 'r2 (/w/api)']]],
    formatToFix: [[1], [3]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    All is well.
    Two calls came in one answer. | The model made one call in an answer, although aish asked for two. aish needs no more. | The server takes names with dots. | The server refuses names with dots. aish sends none. | The server takes long ids. | The server refuses long ids. aish sends nine letters and digits. | The server takes two messages of one role in a row. | The roles have to alternate. In the requests of aish they do. | The server refuses a model that it does not have. | The server answers to any name, so a wrong name goes unnoticed.
    The model called again, although it had the result.
    The model answered in full.
    The call was damaged or incomplete.
    The model made no call, although aish asked for one.
    The server parsed the call.
    The model printed its call as text, because the server does not parse calls. aish reads the text.
    server | answer | speed | request fields | streaming | tools | tool schemas | tool calls | parallel calls | tool names | call ids | roles | alternation | empty content | token limit | reasoning | context | model name | configuration | shell | terminal | locale | sandbox | git for undo | model server | MCP server | runs
    aish config check lists the mistakes.
    the first model
    The answer was empty. | Check the chat template of the model; llama-server: --jinja, --chat-template-file. | The model only reasoned and did not answer. | Set reasoning_effort = "low" in [models.NAME], or a larger limit of tokens on the server (llama-server: -n -1). | The answer was cut at the token limit of the server. | Raise the limit of the server (llama-server: -n -1; Ollama: num_predict -1). | A content filter of the server stopped the answer. | Use another model, or switch the filter off. | The model refused a harmless question. | Use another model.
    llama-server: -c 16384; Ollama: OLLAMA_CONTEXT_LENGTH=16384; vLLM: --max-model-len.
    export LANG=C.UTF-8, or another UTF-8 locale that locale -a lists.
    ok | note | FIX
    aish mcp list shows the servers; correct their sections [mcp.servers.NAME].
    aish models add takes NAME --gguf PATH [--port N] [--context N], or NAME [MODEL] --url URL [--key-env VAR] [--context N]
    If the model was made for tools, the server does not pass them on. llama-server: --jinja; vLLM: --enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; Ollama: a model whose template has tools (ollama show MODEL).
    a package is PACKAGE@VERSION with one exact version, and --integrity is its sha512-…
    not installed
    There is no file, so aish uses the defaults.
    The server refuses nothing that aish sends.
    No variable says that text is UTF-8, so programs may show letters as question marks.
    No server is configured.
    There is no terminal here.
    For an answer without a terminal: aish -p "question".
    The server does not say how many tokens it takes.
    choose another name for your package
    for another package: aish models provider add NAME PACKAGE@VERSION --integrity SHA512; npm view PACKAGE@VERSION dist.integrity prints it
    llama-server: --jinja; vLLM: --enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; Ollama: a model whose template has tools (ollama show MODEL).
    aish models provider takes list, add NAME, add NAME PACKAGE@VERSION --integrity SHA512, or remove NAME
    It comes in a field of its own.
    It comes in the answer, between tags. aish takes it out.
    Use a larger model, or one that was made for tools.
    The server takes the roles system and tool.
    in its project, :norris diff shows the changes, and :norris apply or :norris discard decides about them
    Install bubblewrap (Debian: apt install bubblewrap), and allow user namespaces.
    It was ready at once.
    Repair it, or set [shell] program to another bash, zsh or fish.
    llama-server: --reasoning-format deepseek; vLLM and SGLang: --reasoning-parser NAME.
    If it does: export TERM=xterm-256color.
    TERM says that the terminal understands no sequences.
    Set context in [models.NAME].
    asking local a few short questions; a slow model needs some minutes
    @ai-sdk/cohere 3.0.63, 207 kB of code
    /c/config.toml has no mistakes.
    Set context = 4096 in [models.NAME], or start the server with more (llama-server: -c; Ollama: num_ctx).
    git version 2.43.0 keeps the checkpoints for undo.
    cohere is installed: @ai-sdk/cohere 3.0.63, 207 kB of code. Put the key into COHERE_API_KEY, then: aish --model cohere:MODEL
    talk is installed: talk-provider 1.2.0, 2 kB of code. Use it with provider = "talk", base_url, model and key_env in [models.NAME].
    installed 2026-11-01
    installing @ai-sdk/cohere 3.0.63
    aish remembers the differences for 60 days (aish models show local).
    It refuses stream_options, so aish leaves it out.
    Text is UTF-8 (C.UTF-8).
    fs: connection refused
    fs has 9 tools.
    aish added local to /c/config.toml. To use it: aish --model local, or :model local
    no package of provider cohere is installed
    installed 2026-11-01 with another version; add it again
    openai needs no package; to use it: aish --model openai:MODEL
    working copies of runs wait for you: r1 (/w/site), r2 (/w/api)
    Commands can run in bubblewrap.
    There is no sandbox: bubblewrap is not installed.
    local answers at http://127.0.0.1:8080/v1. A whole test: aish models doctor local.
    aish starts the server of local at its first use.
    /bin/bash does not start.
    Your commands run in /bin/bash.
    The first token came after 0.21 s, then 45 tokens per second.
    The first token came after 0.21 s.
    aish can draw on this terminal (xterm-256color).
    Follow the advice in the line with FIX.
    Follow the advice in the 3 lines with FIX.
    aish removed the package of provider cohere
    aish has no pin for provider foo; it has pins for azure, cohere
    A request had to wait (loading, rate-limited); the next one was answered.
    The server has 32768 tokens.
    The server has 4096 tokens, but the configuration says 32768.
    "
  `);
});
