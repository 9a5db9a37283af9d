import type { CheckContext } from '../../context/check-context.ts';
import type { HeaderList } from '../../http/exchange.ts';
import type { Action } from './folder.ts';
import { type CopyItem, NAMES } from './model.ts';
import type { Breach } from './steps.ts';

/** Describes a step: `upload content 1 to a.txt`. */
export function describeStep(action: Action): string {
  switch (action.kind) {
    case 'upload':
      return `upload content ${action.content} to ${action.name}`;
    case 'grant':
      return `request a grant for ${action.name}`;
    case 'form':
      return `send content ${action.content} with grant ${action.grant + 1}, which is for ${action.name}`;
    case 'read':
      return `read ${action.names.join(', ')}`;
    case 'link':
      return `get a link to ${action.names.join(', ')}`;
    case 'follow':
      return `follow link ${action.index + 1}, which is to ${action.link.name}`;
    case 'delete':
      return `delete ${action.names.join(', ')}`;
    case 'copy':
      return action.items.map(describeItem).join(', ');
  }
}

function describeItem({ from, to, overwrite, removeOriginal }: CopyItem): string {
  const options = overwrite === undefined ? '' : ` with overwrite ${overwrite}`;
  return `${removeOriginal ? 'move' : 'copy'} ${from} to ${to}${options}`;
}

/**
 * Returns a shell script that repeats a sequence in a new folder and shows what the deployment returns. It reads
 * the credentials from environment variables.
 */
export function toScript(
  { settings, storage }: CheckContext,
  { steps, message }: Breach,
  credentials: HeaderList,
): string {
  const { storageUrl, env, prefix, seed, wireProfile } = settings;
  const { uploadFields, storeFileID } = wireProfile;
  const toVariable = (name: string) => name.toUpperCase().replaceAll(/\W/g, '_');
  const secrets = credentials.filter(([, value]) => value !== '');
  const variables = secrets.map(([name]) => toVariable(name));
  // curl omits a header without a value unless it is written this way.
  const headers = credentials.map(([name, value]) =>
    value === '' ? `-H '${name};'` : `-H "${name}: $${toVariable(name)}"`,
  );
  const wrap = storage.body({}) === '{}' ? '' : "jq -c '{data: .}' | ";
  const root = storage.copyPath('');
  const toCommand = (action: Action): string => {
    switch (action.kind) {
      case 'upload':
        return `form "$(grant ${action.name})" ${action.name} ${action.content} ${action.lines}`;
      case 'grant':
        return `grant ${action.name} >>"$kept.grants"`;
      case 'form':
        return `form "$(sed -n ${action.grant + 1}p "$kept.grants")" ${action.name} ${action.content} ${action.lines}`;
      case 'read':
        return `links '' ${action.names.join(' ')} | tee -a "$kept.links" | follow`;
      case 'link': {
        const maxAge = action.maxAge === undefined ? "''" : storage.maxAge(action.maxAge);
        return `links ${maxAge} ${action.names.join(' ')} | tee -a "$kept.links"`;
      }
      case 'follow':
        return `grep -v '^-' "$kept.links" | sed -n ${action.index + 1}p | follow`;
      case 'delete':
        return `ids ${action.names.join(' ')} | jq -c '{fileList: .}' | call batchDelete`;
      case 'copy': {
        const list = action.items.map(({ from, to, ...more }) => {
          const paths = { srcPath: `${root}FOLDER/${from}`, dstPath: `${root}FOLDER/${to}` };
          return { ...paths, ...more };
        });
        const json = JSON.stringify({ fileList: list });
        return `printf %s '${json}' | sed "s|FOLDER|$folder|g" | call batchCopyFile`;
      }
    }
  };
  return [
    '#!/bin/sh',
    `# Repeats calls of a run with --seed ${seed}. Needs curl and jq, and the credentials in`,
    `# ${variables.join(', ') || 'no variable'}.`,
    `# ${message}.`,
    'set -u',
    `api='${storageUrl}/api/v2/envs/${env}/storages'`,
    `folder="${prefix}/repeat-$$"`,
    'kept=$(mktemp)',
    `trap 'rm -f "$kept"*' EXIT`,
    'call() {',
    `  ${wrap}curl -sS -X POST "$api:$1" -H 'Content-Type: application/json' \\`,
    `    ${[...headers, '--data-binary @-'].join(' ')} | jq -c '(.body // .) | .data // .'`,
    '}',
    // The form of requests with a path or IDs; entries are in the order of the names, failed ones are -.
    `grant() { printf '{"path":"%s/%s"}' "$folder" "$1" | call getUploadMetaData; }`,
    'ids() { for name in "$@"; do grant "$name" | jq .fileID; done | jq -cs .; }',
    'links() {',
    '  age=$1; shift; ids=$(ids "$@")',
    `  printf %s "$ids" | jq -c "{fileList: map({fileID: .\${age:+, maxAge: $age}})}" | call batchGetTempUrls |`,
    `    jq -r --argjson ids "$ids" '.fileList as $all | $ids[] as $id | first($all[] | select(.fileID == $id)) |`,
    `      if .code == "SUCCESS" then .tempFileURL | gsub(" "; "%20") else "-" end'`,
    '}',
    'follow() {',
    '  while read -r url; do',
    `    if [ "$url" = - ]; then echo nothing; continue; fi`,
    `    curl -sSL --globoff -w '%{http_code}\\n' "$url" | uniq -c`,
    '  done',
    '}',
    'form() {',
    '  field() { printf %s "$grant" | jq -r ".$1"; }',
    '  grant=$1',
    '  yes "content $3" | head -n "$4" | curl -sS -o /dev/null -w \'%{http_code}\\n\' \\',
    '    --form-string "Signature=$(field authorization)" \\',
    `    --form-string "${uploadFields.securityToken}=$(field token)" \\`,
    `    --form-string "${uploadFields.metaFileId}=$(field ${storeFileID})" \\`,
    '    --form-string "key=$folder/$2" -F \'file=@-;filename=file\' "$(field url)"',
    '}',
    ...steps.flatMap((step, index) => {
      return [`echo '${index + 1}. ${describeStep(step)}'`, toCommand(step)];
    }),
    "echo 'Remove the files'",
    `ids ${NAMES.join(' ')} | jq -c '{fileList: .}' | call batchDelete`,
  ].join('\n');
}
