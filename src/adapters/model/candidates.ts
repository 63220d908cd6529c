/** A place where a model may be, without any configuration. */
export interface ModelCandidate {
  readonly name: string;
  /** How it is called for users. */
  readonly title: string;
  readonly baseUrl: string;
  /** The variable whose key opens it; without one it is looked for on the network. */
  readonly keyEnv?: string;
  /** A variable that may hold another address. */
  readonly baseUrlEnv?: string;
  /** The model to use if the server's list does not tell which ones are meant for chat. */
  readonly model?: string;
}

/** The places to look, best first. */
export const MODEL_CANDIDATES: readonly ModelCandidate[] = [
  {
    name: 'openai',
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    baseUrlEnv: 'OPENAI_BASE_URL',
    model: 'gpt-5-mini',
  },
  {
    name: 'anthropic',
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyEnv: 'ANTHROPIC_API_KEY',
    model: 'claude-sonnet-4-5',
  },
  {
    name: 'gemini',
    title: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyEnv: 'GEMINI_API_KEY',
    model: 'gemini-flash-latest',
  },
  {
    name: 'openrouter',
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: 'OPENROUTER_API_KEY',
    model: 'openrouter/auto',
  },
  { name: 'llama.cpp', title: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'llama.cpp-8081', title: 'llama.cpp', baseUrl: 'http://127.0.0.1:8081/v1' },
  { name: 'ollama', title: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', title: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'vllm', title: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1' },
];
