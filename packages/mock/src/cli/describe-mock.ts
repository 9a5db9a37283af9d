import { KEY_PAIR } from '../auth/credentials.ts';
import type { Served } from '../serve.ts';
import { describeBackend } from './describe-backend.ts';
import { type CurlCredentials, listCurls } from './list-curls.ts';

/**
 * What the command line prints: the addresses, what lets in, and one `curl` for each operation.
 *
 * @param ignored options that were given and do nothing
 */
export async function describeMock(served: Served, ignored: readonly string[]): Promise<string> {
  const { url, context } = served;
  const backend = describeBackend(served, ignored);
  if (backend !== undefined) return backend;
  const { gateway, storage } = context.contract.documents;
  const { auth, env } = context.options;
  const credentials = auth === 'strict' ? await makeCredentials(env) : undefined;
  const curls = listCurls(context, credentials).map(
    ([operation, curl]) => `# ${operation}\n${curl}`,
  );
  const strict = credentials && [
    '',
    `Access token   ${credentials.bearer}`,
    `Key pair       ${KEY_PAIR.id} ${KEY_PAIR.secret}`,
  ];
  return [
    `Mock of the ${gateway.info.title} ${gateway.info.version} and the ${storage.info.title} ${storage.info.version}, environment ${env}`,
    '',
    `Gateway        ${url}/v1/cloudrun/<name>/<anyPath>`,
    `Storage API    ${url}/api/v2/envs/${env}`,
    `Upload target  ${url}/`,
    `Inspector      ${url}/__mock`,
    ...(strict ?? []),
    '',
    `Paste these in order${strict ? ', within five minutes' : ''}:`,
    '',
    curls.join('\n\n'),
  ].join('\n');
}

async function makeCredentials(env: string): Promise<CurlCredentials> {
  const { mintToken } = await import('../auth/mint-token.ts');
  const { signStorage } = await import('../auth/tc3.ts');
  const seconds = Math.floor(Date.now() / 1000);
  return {
    bearer: await mintToken(env),
    storageAuthorization: signStorage(seconds),
    storageTimestamp: String(seconds),
  };
}
