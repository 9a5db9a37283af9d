import type { Hooks, Json } from '../../proxy/messages.ts';
import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  copies,
  items,
  itemsOf,
  leaveOut,
  readsRequests,
  toStorageRefusal,
} from '../support/storage.ts';
import { keyOf, plainPath, readForm } from '../support/uploads.ts';

const COPY = 'batchCopyFile';

/** Makes items fail that should not. */
const fail = (isBad: (item: Json) => unknown, code = 'INVALID_PARAM'): Hooks =>
  leaveOut(COPY, (item) =>
    typeof item.srcPath === 'string' && typeof item.dstPath === 'string' && isBad(item)
      ? { code, message: 'no' }
      : undefined,
  );

/** Reports items as successful afterwards, as a store would that does not look at the path. */
const pass = (breaks: string, isTaken: (item: Json) => unknown, fileID?: string): Mutant =>
  mutant(
    'ST-COPY-PATH-REFUSED',
    breaks,
    copies(({ code }, item) => code && isTaken(item), {
      ...{ code: undefined, message: undefined },
      ...(fileID ? { fileID } : {}),
    }),
  );

/** Copies to another path. */
const redirect = (rule: Mutant['rule'], breaks: string, toPath: (path: string) => string) =>
  mutant(
    rule,
    breaks,
    items(COPY, (item) => {
      if (item.dstPath !== undefined) item.dstPath = toPath(item.dstPath);
    }),
  );

const folderOf = (path: string) => path.replace(/[^/]*$/, '');
const BAD = /[^\w/!.,*\u4e00-\u9fff-]/;

/** Mutants that misinterpret copy paths, as some real stores do. */
export const copyPaths: readonly Mutant[] = [
  redirect('ST-COPY-CALL', 'levels are lost, only the last segment is kept', (path) =>
    path.replace(/^.*\/(?=[^/]*$)/, '/'),
  ),
  ...mutantsOf('ST-COPY-CALL', {
    'more than three levels are rejected': fail(
      ({ dstPath }) => plainPath(dstPath).split('/').length > 3,
    ),
    'a copy into a folder that does not exist fails': () => {
      const folders = new Set(['']);
      const hooks = fail(({ dstPath }) => !folders.has(folderOf(plainPath(dstPath))), 'NO_FOLDER');
      return {
        ...hooks,
        request(call) {
          if (call.isUpload) folders.add(folderOf(keyOf(readForm(call))));
          return hooks.request?.(call);
        },
      };
    },
  }),
  ...(
    [
      ['an exclamation mark', /!/],
      ['an asterisk', /\*/],
      ['a comma', /,/],
      ['U+9FFF', /\u9fff/],
      ['U+4E00', /\u4e00/],
      ['Chinese beyond U+9FA5', /[\u9fa6-\u9fff]/],
      ['an underscore', /_/],
      ['Chinese', /[\u4e00-\u9fff]/],
      ['two dots in a row in a name', /[^/.]\.\.[^/.]/],
      ['a name that begins with a dot', /\/\.[^/.]/],
      ['an upper case letter', /[A-Z]/],
      ['a name of digits only', /\/\d+$/],
      ['a name without a dot', /\/[^./]+$/],
      ['a name that ends with a dot', /[^/.]\.$/],
    ] as const
  ).map(([what, pattern]) =>
    mutant(
      'ST-COPY-PATH-CHARACTERS',
      `${what} is rejected`,
      fail(({ srcPath, dstPath }) => pattern.test(srcPath) || pattern.test(dstPath)),
    ),
  ),
  mutant(
    'ST-COPY-PATH-CHARACTERS',
    'a source with an exclamation mark is rejected',
    fail(({ srcPath }) => srcPath.includes('!')),
  ),
  redirect('ST-COPY-PATH-CHARACTERS', 'an asterisk becomes an underscore', (path) =>
    path.replaceAll('*', '_'),
  ),
  redirect('ST-COPY-PATH-CHARACTERS', 'paths are lower-cased', (path) => path.toLowerCase()),
  ...(
    [
      ['a space', / /],
      ['a plus', /\+/],
      ['a percent sign', /%/],
      ['a backslash', /\\/],
      ['a colon', /:/],
      ['a question mark', /\?/],
      ['a number sign', /#/],
      ['an umlaut', /[äöüé]/i],
      ['a character above U+9FFF', /[\ua000-\uffff]/],
      ['a character below U+4E00', /[\u3000-\u4dff]/],
      ['an emoji', /[\u{1f000}-\u{1ffff}]/u],
      ['a control character', /\p{Cc}/u],
      ['a tilde', /~/],
      ['an at sign', /@/],
      ['a parenthesis', /[()]/],
      ['an ampersand', /&/],
      ['a line feed at the end', /\n$/],
      ['a quotation mark', /"/],
      ['a full-width letter', /[\uff00-\uffef]/],
      ['Chinese beyond U+FFFF', /[\u{20000}-\u{2a6df}]/u],
    ] as const
  ).map(([what, pattern]) =>
    pass(
      `${what} is accepted`,
      ({ srcPath, dstPath }) => pattern.test(dstPath) || pattern.test(srcPath),
      'cloud://dev.bucket/x',
    ),
  ),
  pass('a source with a space counts as one with another name', ({ srcPath }) => / /.test(srcPath)),
  mutant('ST-COPY-PATH-REFUSED', 'an invalid path fails the call', {
    ...readsRequests,
    response(response, call) {
      if (call.operation !== COPY || response.status !== 200) return;
      const paths = itemsOf(call).flatMap(({ srcPath, dstPath }) => [srcPath, dstPath]);
      if (paths.some((path) => BAD.test(path)))
        Object.assign(response, toStorageRefusal(400, 'INVALID_PARAM'));
    },
  }),
  ...mutantsOf('ST-COPY-PATH-ABSOLUTE', {
    'the leading slash is part of the name': items(COPY, (item) => {
      for (const name of ['srcPath', 'dstPath']) item[name] = item[name]?.replace(/^\//, '/_/');
    }),
    'a destination with a leading slash is rejected': fail(({ dstPath }) =>
      dstPath.startsWith('/'),
    ),
  }),
];
