/** The forms in which models print calls as text, for a call of `aish__read_file` with a path. Each is the answer of a server without a parser. */
export const TEXT_FORMS: Readonly<Record<string, string>> = {
  json: '{"name": "aish__read_file", "arguments": {"path": "note.txt"}}',
  'json-params': '{"name": "aish__read_file", "parameters": {"path": "note.txt"}}',
  'json-fence': '```json\n{\n  "name": "aish__read_file",\n  "arguments": {"path": "note.txt"}\n}\n```',
  'openai-json':
    '{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "aish__read_file", "arguments": "{\\"path\\": \\"note.txt\\"}"}}]}',
  'openai-one': '{"type": "function", "function": {"name": "aish__read_file", "parameters": {"path": "note.txt"}}}',
  hermes: '<tool_call>\n{"name": "aish__read_file", "arguments": {"path": "note.txt"}}\n</tool_call>',
  'hermes-open': '<tool_call>\n{"name": "aish__read_file", "arguments": {"path": "note.txt"}}',
  mistral: '[TOOL_CALLS][{"name": "aish__read_file", "arguments": {"path": "note.txt"}}]',
  'mistral-id': '[TOOL_CALLS] [{"name": "aish__read_file", "arguments": {"path": "note.txt"}, "id": "VvvODy9mT"}]</s>',
  'mistral-new': '[TOOL_CALLS]aish__read_file[ARGS]{"path": "note.txt"}',
  'mistral-call-id': '[TOOL_CALLS]aish__read_file[CALL_ID]VvvODy9mT[ARGS]{"path": "note.txt"}',
  llama: '<|python_tag|>{"name": "aish__read_file", "parameters": {"path": "note.txt"}}<|eom_id|>',
  'llama-call': '<|python_tag|>aish__read_file.call(path="note.txt")',
  'llama-func': '<function=aish__read_file>{"path": "note.txt"}</function>',
  'llama-4': '<|python_start|>[aish__read_file(path="note.txt")]<|python_end|>',
  'qwen-xml':
    '<tool_call>\n<function=aish__read_file>\n<parameter=path>\nnote.txt\n</parameter>\n</function>\n</tool_call>',
  'qwen-xml-bare': '<function=aish__read_file>\n<parameter=path>\nnote.txt\n</parameter>\n</function>',
  glm: '<tool_call>aish__read_file\n<arg_key>path</arg_key>\n<arg_value>note.txt</arg_value>\n</tool_call>',
  'glm-tight': '<tool_call>aish__read_file<arg_key>path</arg_key><arg_value>note.txt</arg_value></tool_call>',
  deepseek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>aish__read_file\n```json\n{"path": "note.txt"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
  'deepseek-3.1':
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>aish__read_file<｜tool▁sep｜>{"path": "note.txt"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'deepseek-dsml':
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="aish__read_file">\n<｜DSML｜parameter name="path" string="true">note.txt</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.aish__read_file:0<|tool_call_argument_begin|>{"path": "note.txt"}<|tool_call_end|><|tool_calls_section_end|>',
  harmony:
    '<|channel|>commentary to=functions.aish__read_file <|constrain|>json<|message|>{"path": "note.txt"}<|call|>',
  'harmony-start':
    '<|start|>assistant to=functions.aish__read_file<|channel|>commentary json<|message|>{"path": "note.txt"}',
  gemma: '```tool_code\naish__read_file(path="note.txt")\n```',
  'gemma-print': '```tool_code\nprint(default_api.aish__read_file(path = "note.txt"))\n```',
  'gemma-function': '<start_function_call>call:aish__read_file{path:<escape>note.txt<escape>}<end_function_call>',
  'gemma-4': '<|tool_call>call:aish__read_file{path:<|"|>note.txt<|"|>}<tool_call|>',
  'anthropic-xml':
    '<function_calls>\n<invoke name="aish__read_file">\n<parameter name="path">note.txt</parameter>\n</invoke>\n</function_calls>',
  'anthropic-old':
    '<function_calls>\n<invoke>\n<tool_name>aish__read_file</tool_name>\n<parameters>\n<path>note.txt</path>\n</parameters>\n</invoke>\n</function_calls>',
  minimax:
    '<minimax:tool_call>\n<invoke name="aish__read_file">\n<parameter name="path">note.txt</parameter>\n</invoke>\n</minimax:tool_call>',
  pythonic: '[aish__read_file(path="note.txt")]',
  'pythonic-single': "[aish__read_file(path='note.txt')]",
  granite: '<|tool_call|>[{"name": "aish__read_file", "arguments": {"path": "note.txt"}}]',
  phi: 'functools[{"name": "aish__read_file", "arguments": {"path": "note.txt"}}]',
  command:
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "aish__read_file", "parameters": {"path": "note.txt"}}]<|END_ACTION|>',
  jamba: '<tool_calls>[{"name": "aish__read_file", "arguments": {"path": "note.txt"}}]</tool_calls>',
  nemotron: '<TOOLCALL>[{"name": "aish__read_file", "arguments": {"path": "note.txt"}}]</TOOLCALL>',
  lfm: '<|tool_call_start|>[aish__read_file(path="note.txt")]<|tool_call_end|>',
  seed: '<seed:tool_call>\n<function=aish__read_file>\n<parameter=path>note.txt</parameter>\n</function>\n</seed:tool_call>',
  react: 'Action: aish__read_file\nAction Input: {"path": "note.txt"}',
  apertus: '<|tools_prefix|>[{"aish__read_file": {"path": "note.txt"}}]<|tools_suffix|>',
  'anthropic-json': '{"type": "tool_use", "id": "toolu_1", "name": "aish__read_file", "input": {"path": "note.txt"}}',
  'own-form': '[calls aish.read_file {"path":"note.txt"}]',
  'named-tag': '<tool_call name="aish__read_file">{"path": "note.txt"}</tool_call>',
  'lm-studio': '[TOOL_REQUEST]{"name": "aish__read_file", "arguments": {"path": "note.txt"}}[END_TOOL_REQUEST]',
  'tool-use': '<tool_use>\n<name>aish__read_file</name>\n<arguments>{"path": "note.txt"}</arguments>\n</tool_use>',
  'dsml-double':
    '<｜｜DSML｜｜tool_calls>\n<｜｜DSML｜｜invoke name="aish__read_file">\n<｜｜DSML｜｜parameter name="path" string="true">note.txt</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>\n</｜｜DSML｜｜tool_calls>',
  'dsml-parallel':
    '<‖DSML‖tool_calls>\n<‖DSML‖invoke name="aish__read_file">\n<‖DSML‖parameter name="path" string="true">note.txt</‖DSML‖parameter>\n</‖DSML‖invoke>\n</‖DSML‖tool_calls>',
  'step-3':
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="aish__read_file"><steptml:parameter name="path">note.txt</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
  'harmony-role':
    '<|start|>assistant<|channel|>commentary to=functions.aish__read_file <|constrain|>json<|message|>{"path": "note.txt"}<|call|>',
  'tool-tag': '<aish__read_file>\n<path>note.txt</path>\n</aish__read_file>',
  'missing-brace': '<tool_call>\n{"name": "aish__read_file", "arguments": {"path": "note.txt"}\n</tool_call>',
  pangu: '[unused11][{"name": "aish__read_file", "arguments": {"path": "note.txt"}}][unused12]',
  longcat:
    '<longcat_tool_call>aish__read_file\n<longcat_arg_key>path</longcat_arg_key>\n<longcat_arg_value>note.txt</longcat_arg_value>\n</longcat_tool_call>',
  'longcat-json':
    '<longcat_tool_call>{"name": "aish__read_file", "arguments": {"path": "note.txt"}}</longcat_tool_call>',
  'minimax-m3':
    ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="aish__read_file">]<]minimax[>[<path>note.txt]<]minimax[>[</path>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
  hunyuan:
    '<tool_calls><tool_call>aish__read_file<tool_sep>\n<arg_key>path</arg_key>\n<arg_value>note.txt</arg_value>\n</tool_call></tool_calls>',
  'hunyuan-3':
    '<tool_calls:opensource>\n<tool_call:opensource>aish__read_file<tool_sep:opensource>\n<arg_key:opensource>path</arg_key:opensource>\n<arg_value:opensource>note.txt</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
  'kimi-k3':
    '<|open|>tools<|sep|><|open|>call tool="aish__read_file" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|>note.txt<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
  'kimi-k3-json':
    '<|open|>tools<|sep|><|open|>call tool="aish__read_file" index="1"<|sep|><|open|>json type="object"<|sep|>{"path": "note.txt"}<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  'kimi-bare': 'functions.aish__read_file:0{"path": "note.txt"}',
  solar:
    '<|tool_calls|><|tool_call:begin|>a1b2c3<|tool_call:name|>aish__read_file<|tool_call:args|>{"path": "note.txt"}<|tool_call:end|>',
  exaone: '<tool_call>{"name": "aish__read_file", "arguments": {"path": "note.txt"}}</tool_call>[|endofturn|]',
  gigachat: 'function call{"name": "aish__read_file", "arguments": {"path": "note.txt"}}<|message_sep|>',
  functionary: '>>>aish__read_file\n{"path": "note.txt"}',
  minicpm: '<|tool_call_start|>\n```python\naish__read_file(path="note.txt")\n```\n<|tool_call_end|>',
  'qwen-agent': '✿FUNCTION✿: aish__read_file\n✿ARGS✿: {"path": "note.txt"}',
  chatml:
    '<|im_start|>assistant\n<tool_call>{"name": "aish__read_file", "arguments": {"path": "note.txt"}}</tool_call><|im_end|>',
  ling: '<role>ASSISTANT</role><tool_call>\n{"name": "aish__read_file", "arguments": {"path": "note.txt"}}\n</tool_call>',
  javascript: 'aish__read_file({"path": "note.txt"})',
  'thought-action': 'Action:\n```json\n{"action": "aish__read_file", "action_input": {"path": "note.txt"}}\n```',
  'dotted-name': '<tool_call>\n{"name": "aish.read_file", "arguments": {"path": "note.txt"}}\n</tool_call>',
};

/** Announcements of a call, in front of which a model thinks aloud. */
export const ANNOUNCEMENTS: readonly string[] = [
  "I'll read the note first.",
  'Let me look at the file:',
  'Sure! I will use the aish__read_file tool to read the note.',
  'To answer your question, I need to read note.txt.',
  'Ich lese zuerst die Datei.',
  'Je vais lire le fichier.',
  'Voy a leer el archivo.',
  '我先读取文件。',
  '**Plan**\n\n- read the note\n- say what it holds\n\nFirst I read the note.',
  'Okay. Reading note.txt now.',
];
