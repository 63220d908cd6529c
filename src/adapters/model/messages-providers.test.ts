import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages-providers.ts';

const COHERE = { package: '@ai-sdk/cohere', version: '3.0.63' };

test('the texts about models, their providers, keys and packages', () => {
  const all = printMessages(messages, {
    unknownPreset: [
      ['opnai', ['openai'], ['openai', 'groq']],
      ['x', [], ['openai', 'groq']],
    ],
    keyOfPresetNotSet: [['Groq', 'GROQ_API_KEY']],
    noModelConfigured: [[]],
    listTimedOut: [['local', 'http://127.0.0.1:8080/v1', 3000]],
    noModelList: [['local', 'http://127.0.0.1:8080/v1', 404]],
    noModelLoaded: [['local']],
    noModelFound: [[true], [false], [true, 'http://127.0.0.1:8080/v1']],
    unknownModel: [
      ['lokal', ['local'], ['local', 'cloud']],
      ['x', [], ['local', 'cloud']],
    ],
    keyNotSet: [['cloud', 'KEY']],
    placeNotSet: [['Amazon Bedrock', 'AWS_REGION']],
    keyDamaged: [['cloud', 'KEY']],
    badAddress: [['models.example']],
    notAModelList: [['local']],
    providerMissing: [
      ['cohere', true, ['cohere', 'azure']],
      ['coher', false, ['cohere', 'azure']],
    ],
    providerChanged: [[{ ...COHERE, name: 'cohere' }, '/s/providers/cohere/provider.js']],
    providerDamaged: [['cohere', 'v3']],
    providerNotInstalled: [[COHERE, 'ConnectionRefused downloading package manifest']],
    providerUnpinned: [
      [COHERE, 'integrity', 'sha512-x'],
      [COHERE, 'code', ''],
    ],
    accountDamaged: [['/home/ada/account.json']],
    accountRefused: [
      ['https://oauth2.googleapis.com/token', 400, 'Invalid JWT Signature.'],
      ['https://oauth2.googleapis.com/token', 500, ''],
      ['https://oauth2.googleapis.com/token', null, ''],
    ],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    /home/ada/account.json holds no service account and no login of gcloud
      set GOOGLE_APPLICATION_CREDENTIALS to the JSON file of a service account, or run gcloud auth application-default login
    https://oauth2.googleapis.com/token gives no token (400): Invalid JWT Signature.
      check the account, its key and the clock of this machine, or log in again
    https://oauth2.googleapis.com/token gives no token (500): no reason given
      check the account, its key and the clock of this machine, or log in again
    https://oauth2.googleapis.com/token does not answer, so aish has no token for Vertex
      check the network and HTTPS_PROXY
    "models.example" is not the address of a model server
      write base_url as http://HOST:PORT/v1 or https://HOST/v1
    the key of model "cloud" contains characters that no API key has
      set KEY again, without line breaks and quotation marks
    model "cloud" needs a key, but the environment variable KEY is not set
      export KEY=… before you start aish, or change key_env in [models.cloud]
    Groq needs a key, but the environment variable GROQ_API_KEY is not set
      export GROQ_API_KEY=… before you start aish
    http://127.0.0.1:8080/v1 did not list its models within 3 s
      set model in [models.local] to the name that the server uses, so that aish needs no list
    no model is configured
      add a [models.NAME] section with base_url to the configuration, or start a local model server
    no model is set up, and aish found none on this machine
      start a model server on this machine, or correct the configuration: aish config check
    no model is set up, and aish found none on this machine
      start a llama.cpp server (llama-server -m MODEL.gguf --jinja), or export OPENAI_API_KEY, or add [models.NAME] to the configuration
    no model is set up, and aish found none on this machine but that of another user, at http://127.0.0.1:8080/v1
      if you trust that user with your messages, add [models.NAME] with base_url = "http://127.0.0.1:8080/v1" to the configuration
    http://127.0.0.1:8080/v1 has no list of models (404), and [models.local] names none
      set model in [models.local] to the name that the server uses; if that does not help, check base_url
    the server of model "local" has no model loaded
      load one on the server, or set model in [models.local]
    the server of model "local" did not answer with a list of models
      check base_url: it ends before /chat/completions, usually in /v1
    the address of Amazon Bedrock needs the environment variable AWS_REGION
      export AWS_REGION=… before you start aish
    /s/providers/cohere/provider.js is not the code of @ai-sdk/cohere 3.0.63 that aish trusts, so aish does not run it
      install it again: aish models provider add cohere
    the package of provider "cohere" does not make a language model of specification v3
      install a version of it that does: AI SDK 6 has this specification
    the package of provider "cohere" is not installed
      aish models provider add cohere
    the package of provider "coher" is not installed
      check provider in the configuration; aish can install cohere, azure
    cannot install @ai-sdk/cohere 3.0.63: ConnectionRefused downloading package manifest
      check the network, HTTPS_PROXY, and the registry in ~/.npmrc
    @ai-sdk/cohere 3.0.63 has another integrity than the pin says (sha512-x); aish removed it
      another registry, or a proxy, may have changed the package
    @ai-sdk/cohere 3.0.63 has other code than the pin says (none); aish removed it
      another registry, or a proxy, may have changed the package
    no model "lokal" is configured
      did you mean local?
    no model "x" is configured
      configured: local, cloud
    aish knows no provider "opnai"
      did you mean openai?
    aish knows no provider "x"
      known providers and servers: openai, groq
    "
  `);
});
