import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-providers.ts';

test('the texts of aish models provider', () => {
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
  });
  expect(all).toMatchInlineSnapshot(`
    "
    aish models add takes NAME --gguf PATH [--port N] [--context N], or NAME [MODEL] --url URL [--key-env VAR] [--context N]
    a package is PACKAGE@VERSION with one exact version, and --integrity is its sha512-…
    not installed
    choose another name, or use it as it is: aish --model PROVIDER:MODEL
    for another package: aish models provider add NAME PACKAGE@VERSION --integrity SHA512; npm view PACKAGE@VERSION dist.integrity prints it
    aish models provider takes list, add NAME, add NAME PACKAGE@VERSION --integrity SHA512, or remove NAME
    @ai-sdk/cohere 3.0.63, 207 kB of code
    cohere is installed: @ai-sdk/cohere 3.0.63, 207 kB of code. Put the key into COHERE_API_KEY, then: aish --model cohere:MODEL
    talk is installed: talk-provider 1.2.0, 2 kB of code. Use it with provider = "talk", base_url, model and key_env in [models.NAME].
    installed 2026-11-01
    installing @ai-sdk/cohere 3.0.63
    aish added local to /c/config.toml. To use it: aish --model local, or :model local
    no package of provider cohere is installed
    installed 2026-11-01 with another version; add it again
    openai needs no package: aish has this name itself
    aish removed the package of provider cohere
    aish has no pin for provider foo; it has pins for azure, cohere
    "
  `);
});
