import { documents } from '../contract/documents.ts';
import type { Served } from '../serve.ts';
import { listCurls } from './list-curls.ts';

/** What the command line prints: the addresses, and one `curl` for each operation. */
export function describeMock({ url, context }: Served): string {
  const { gateway, storage } = documents;
  const curls = listCurls(context).map(([operation, curl]) => `# ${operation}\n${curl}`);
  return [
    `Mock of the ${gateway.info.title} ${gateway.info.version} and the ${storage.info.title} ${storage.info.version}, environment ${context.options.env}`,
    '',
    `Gateway        ${url}/v1/cloudrun/<name>/<anyPath>`,
    `Storage API    ${url}/api/v2/envs/${context.options.env}`,
    `Upload target  ${url}/`,
    '',
    'Paste these in order:',
    '',
    curls.join('\n\n'),
  ].join('\n');
}
