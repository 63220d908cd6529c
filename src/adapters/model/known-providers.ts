/** A provider package that aish knows, with the only code of it that aish runs. */
export interface KnownProvider {
  /** For `provider` and `PROVIDER:MODEL`. */
  readonly name: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  /** The integrity of the package in the registry. */
  readonly integrity: string;
  /** The versions of all that it depends on. */
  readonly dependencies: readonly string[];
  /** The path inside the package, if it is not the main one. */
  readonly entry?: string;
  /** The SHA-256 of the package and its dependencies as one file, as Bun of this aish makes it. */
  readonly code: string;
}

/** The Bun that made the `code` of each row. */
export const MADE_WITH = '1.4.5';

const SHARED = [
  '@ai-sdk/provider-utils@4.0.56',
  '@ai-sdk/provider@3.0.18',
  '@standard-schema/spec@1.1.0',
  'eventsource-parser@3.1.1',
  'json-schema@0.4.0',
  'undici@6.29.1',
  'zod@4.6.7',
];

/**
 * The provider packages that hold what aish promises: every request goes through the connection of aish, and the package never sees the key.
 * Their versions speak the same language-model specification as the packages that are compiled in. `test/e2e/provider-packages.test.ts` with
 * `AISH_TEST_REGISTRY=1` compares the pins with the registry.
 */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'azure',
    title: 'Azure OpenAI',
    package: '@ai-sdk/azure',
    version: '3.0.128',
    integrity: 'sha512-SD0x+w2b3jnKvltn5YcT0Ec99NWmK3GQIYsWYr+9xO6NhI2Q/cGz16ANgbG/eHUr/iNZ6A8IL9CCAtVRlv5A+w==',
    dependencies: [...SHARED, '@ai-sdk/deepseek@2.0.69', '@ai-sdk/openai@3.0.120'],
    code: 'c961711ba40e353d685b49e58d083f3b4540311ad3fade451929b240e0368930',
  },
  {
    name: 'bedrock',
    title: 'Amazon Bedrock',
    package: '@ai-sdk/amazon-bedrock',
    version: '4.0.186',
    integrity: 'sha512-pWpytUVuT0YOEY70xD6IDO0UiL2KZelZZ27p6wxySfBdQlL1RUwhL0+RAt/0KGYds/QKrBxml43A0bwpjoulOA==',
    dependencies: [
      ...SHARED,
      '@ai-sdk/anthropic@3.0.125',
      '@ai-sdk/openai@3.0.120',
      '@smithy/core@3.41.1',
      '@smithy/eventstream-codec@4.5.2',
      '@smithy/types@4.20.0',
      '@smithy/util-utf8@4.5.2',
      'aws4fetch@1.0.20',
      'tslib@2.9.1',
    ],
    code: 'e1595eabdecd978ca1d9d6288551048826f9935e4845ab032025834d0c632bb9',
  },
  {
    name: 'cohere',
    title: 'Cohere',
    package: '@ai-sdk/cohere',
    version: '3.0.63',
    integrity: 'sha512-dC86EbfYCjL6XtCfdvOrMmXnnSzN0bkUBEwmxGkIDZBqK67noP7u7LtnSqDNY0XkYa0udBsIHqtOrliYYBs+sw==',
    dependencies: [...SHARED.slice(2), '@ai-sdk/provider-utils@4.0.53', '@ai-sdk/provider@3.0.17'],
    code: '0d9e04c3473a9de68febfe97f2df5520098e91f6e6537a63c17ed5f71bf3d027',
  },
  {
    name: 'vertex',
    title: 'Google Vertex AI',
    package: '@ai-sdk/google-vertex',
    version: '4.0.208',
    integrity: 'sha512-RFNFU39VPqvDWr9H7O+0gkYH/WRCUQhhbulbn764uDewF1yMxYVG+UBxpf5f1J2YEw5BqjQiDIHby4VIHwLNPQ==',
    dependencies: [
      ...SHARED,
      '@ai-sdk/anthropic@3.0.125',
      '@ai-sdk/google@3.0.129',
      '@ai-sdk/openai-compatible@2.0.80',
    ],
    // The main path brings google-auth-library, which opens connections of its own.
    entry: 'edge',
    code: '1d01ebdade35e943e434929f4f62266ee54e8523adafa5aa3b8371c2cce1211e',
  },
];

/** The known provider of this name. */
export function knownProvider(name: string): KnownProvider | undefined {
  return KNOWN_PROVIDERS.find((one) => one.name === name);
}
