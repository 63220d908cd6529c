import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages-providers.ts';

const COHERE = { package: '@ai-sdk/cohere', version: '3.0.63' };

test('the texts about provider packages', () => {
  const all = printMessages(messages, {
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
    "
  `);
});
