import * as v from 'valibot';
import { choice, count, flag, NAME, strings, text, webAddress } from './config-values.ts';

const serverFields = () =>
  v.strictObject({
    url: v.optional(webAddress('URL of a server that speaks HTTP.')),
    command: v.optional(text('Program of a server that speaks over standard input and output. No shell parses it.')),
    args: v.optional(v.pipe(v.array(v.string()), v.description('Arguments of `command`.'))),
    env: v.optional(strings('Environment variables for `command`, on top of a small safe set.')),
    cwd: v.optional(text('Directory in which `command` starts. Default: the directory in which aish started.')),
    headers: v.optional(strings('Extra headers of each request to `url`.')),
    auth_token: v.optional(
      text('Bearer token for `url`; it has priority over `auth_env`. Keep the file private (mode 0600).'),
    ),
    auth_env: v.optional(text('The environment variable that holds the bearer token for `url`.')),
    timeout_ms: v.optional(count('Milliseconds to wait for a tool call to send something.', 1), 60_000),
    total_timeout_ms: v.optional(
      count('Milliseconds that a tool call may take in all, even if it reports progress. Default: 10 minutes.', 1),
    ),
    roots: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description(
          'Directories that the server learns of if it asks. Some servers then work in these directories only. Default: none.',
        ),
      ),
    ),
    ...oauthFields(),
    sampling_tokens: v.optional(
      count(
        'Tokens of your model that the server may use during one call of its tools (sampling). Default: none, so aish refuses.',
        1,
      ),
    ),
    trust_read_only: v.optional(
      flag(
        'Trust the tools of this server that declare themselves read-only: aish makes no checkpoint before them, and rules cover them everywhere.',
      ),
    ),
    enabled: v.optional(flag('False keeps the section but does not use the server.'), true),
  });

function oauthFields() {
  return {
    oauth_client_id: v.optional(
      text('Client id that the authorization server of `url` knows. Default: aish registers itself.'),
    ),
    oauth_client_secret_env: v.optional(text('The environment variable that holds the secret of `oauth_client_id`.')),
    oauth_client_metadata_url: v.optional(
      webAddress(
        'URL of a client metadata document. aish uses it as its client id where the authorization server takes it.',
      ),
    ),
    oauth_key_file: v.optional(
      text('File with the private key (PEM) that proves `oauth_client_id`, instead of a secret.'),
    ),
    oauth_key_algorithm: v.optional(text('Algorithm of `oauth_key_file`. Default: ES256.')),
    oauth_scope: v.optional(text('Scopes of a login, separated by spaces. Default: the scopes that the server names.')),
    oauth_grant: v.optional(
      choice(
        'How aish gets a token: `authorization_code` by a login in the browser; without a user, `client_credentials` or `jwt_bearer`.',
        ['authorization_code', 'client_credentials', 'jwt_bearer'],
      ),
    ),
    oauth_assertion_file: v.optional(
      text('File with the token that `jwt_bearer` exchanges, such as that of a workload.'),
    ),
    oauth_dpop: v.optional(
      flag(
        'Bind tokens to a key of aish (DPoP), where the authorization server can. A stolen token is then of no use.',
      ),
    ),
    oauth_port: v.optional(
      count('Port on this machine to which the browser returns after a login. Default: any free port.', 1),
    ),
  };
}

/** The keys of a server that go with one way to reach it only. */
export const FIELDS_OF = {
  command: ['args', 'env', 'cwd'],
  url: [
    'headers',
    'auth_token',
    'auth_env',
    'oauth_client_id',
    'oauth_client_secret_env',
    'oauth_client_metadata_url',
    'oauth_key_file',
    'oauth_key_algorithm',
    'oauth_scope',
    'oauth_grant',
    'oauth_assertion_file',
    'oauth_dpop',
    'oauth_port',
  ],
} as const;

const serverSchema = () =>
  v.pipe(
    serverFields(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const server = dataset.value;
      if ((server.url === undefined) === (server.command === undefined)) {
        addIssue({ message: 'needs either url or command' });
        return;
      }
      const [kind, other] = server.url === undefined ? (['command', 'url'] as const) : (['url', 'command'] as const);
      for (const key of FIELDS_OF[other]) {
        if (server[key] === undefined) continue;
        const path = { type: 'object', origin: 'value', input: server, key, value: server[key] } as const;
        addIssue({ message: `works only with ${other}, but this server has ${kind}`, path: [path] });
      }
    }),
  );

const alias = () =>
  v.pipe(
    v.string(),
    v.regex(NAME, 'the name of a server has only letters, digits, - and _'),
    v.check((name) => name !== 'aish', 'the built-in tools use the name aish'),
  );

/** The section `[mcp]`. */
export function mcpSchema() {
  const rule = v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_-]+\.(\*|[^*]+)$/, 'a rule must be "server.tool" or "server.*"'),
  );
  return v.strictObject({
    max_tool_depth: v.optional(
      count(
        'The largest number of answers with tool calls after one message. At the limit aish ends the turn, and you can say "go on".',
        1,
      ),
      8,
    ),
    servers: v.optional(
      v.pipe(
        v.record(alias(), serverSchema()),
        v.description('Servers whose tools the model may call, by their names.'),
      ),
      {},
    ),
    auto_approve: v.optional(
      v.pipe(
        v.record(rule, v.boolean()),
        v.description(
          'Tools that run without asking: `"server.tool" = true` or `"server.*" = true`. The exact name has priority. If a server changes a tool, the rule stops covering it until you review the tool with `:mcp review`.',
        ),
      ),
      {},
    ),
    ask: v.optional(
      v.pipe(v.array(rule), v.description('Tools that always need approval, as `"server.tool"` or `"server.*"`.')),
      [],
    ),
    deny: v.optional(
      v.pipe(v.array(rule), v.description('Tools that aish always denies, as `"server.tool"` or `"server.*"`.')),
      [],
    ),
  });
}
