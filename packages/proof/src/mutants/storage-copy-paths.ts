import type { Hooks, Json } from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import { replace } from './support/gateway.ts';
import {
  COPY,
  copies,
  copyItems,
  GRANT,
  itemsOf,
  leaveOut,
  refuse,
  toStorageRefusal,
} from './support/storage.ts';
import { keyOf, plainPath, readForm } from './support/uploads.ts';

/** Makes items fail that should not. */
const fail = (isBad: (item: Json) => unknown, code = 'INVALID_PARAM'): Hooks =>
  leaveOut(COPY, (item) =>
    typeof item.srcPath === 'string' && typeof item.dstPath === 'string' && isBad(item)
      ? { code, message: 'no' }
      : undefined,
  );

/** Reports items as successful afterwards, as a store would that does not look at the path. */
const pass = (isTaken: (item: Json) => unknown, fileID?: string): Hooks =>
  copies(({ code }, item) => code && isTaken(item), {
    ...{ code: undefined, message: undefined },
    ...(fileID ? { fileID } : {}),
  });

/** Makes items with a matching destination fail. */
const failTo = (pattern: RegExp) => fail(({ dstPath }) => pattern.test(dstPath));

/** Copies to another path. */
const redirect = (toPath: (path: string) => string) =>
  copyItems({ dstPath: (path) => path && toPath(path) });
const folderOf = (path: string) => path.replace(/[^/]*$/, '');
const BAD = /[^\w/!.,*\u4e00-\u9fff-]/;

export const storageCopyPaths: Rows = {
  'ST-COPY-PATH-LEVELS': {
    'the third level of a path is dropped': {
      request(call) {
        const { operation } = call;
        if (operation !== COPY && operation !== GRANT) return;
        const text = call.body.toString();
        if (text.includes('/level/deeper/'))
          call.body = Buffer.from(text.replaceAll('/level/deeper/', '/level/'));
      },
    },
  },
  'ST-COPY-PATH-CHARACTERS': {
    'a * in a copy path is rejected': failTo(/\*/),
    'the last Chinese characters of the range are rejected in a copy path':
      failTo(/[\u9f00-\u9fff]/),
    ...eachOf(
      [
        ['an exclamation mark', /!/],
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
      ] as const,
      ([what, pattern]) => [
        `${what} is rejected`,
        fail(({ srcPath, dstPath }) => pattern.test(srcPath) || pattern.test(dstPath)),
      ],
    ),
    'a source with an exclamation mark is rejected': fail(({ srcPath }) => srcPath.includes('!')),
    'an asterisk becomes an underscore': redirect(replace('*', '_')),
    'paths are lower-cased': redirect((path) => path.toLowerCase()),
  },
  'ST-COPY-PATH-REFUSED': {
    'a ~ in a copy path is accepted': redirect(replace('~', '-')),
    'a copy path with an emoji causes the call to be rejected': refuse(
      (call) =>
        call.operation === COPY &&
        itemsOf(call).some(({ dstPath = '' }) =>
          /\p{Extended_Pictographic}/u.test(dstPath.replace(/[*\d]/g, '')),
        ),
    ),
    ...eachOf(
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
        ['an at sign', /@/],
        ['a parenthesis', /[()]/],
        ['an ampersand', /&/],
        ['a line feed at the end', /\n$/],
        ['a quotation mark', /"/],
        ['a full-width letter', /[\uff00-\uffef]/],
        ['Chinese beyond U+FFFF', /[\u{20000}-\u{2a6df}]/u],
      ] as const,
      ([what, pattern]) => [
        `${what} is accepted`,
        pass(
          ({ srcPath, dstPath }) => pattern.test(dstPath) || pattern.test(srcPath),
          'cloud://dev.bucket/x',
        ),
      ],
    ),
    'a source with a space counts as one with another name': pass(({ srcPath }) =>
      / /.test(srcPath),
    ),
    'an invalid path fails the call': {
      response(response, call) {
        if (call.operation !== COPY || response.status !== 200) return;
        const paths = itemsOf(call).flatMap(({ srcPath, dstPath }) => [srcPath, dstPath]);
        if (paths.some((path) => BAD.test(path)))
          Object.assign(response, toStorageRefusal(400, 'INVALID_PARAM'));
      },
    },
  },
  'ST-COPY-PATH-ABSOLUTE': {
    'copy paths are accepted only without the leading /': failTo(/^\//),
    'the leading slash is part of the name': copyItems({
      srcPath: (path) => path?.replace(/^\//, '/_/'),
      dstPath: (path) => path?.replace(/^\//, '/_/'),
    }),
  },
  'ST-COPY-CALL': {
    'levels are lost, only the last segment is kept': redirect(replace(/^.*\/(?=[^/]*$)/, '/')),
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
  },
};
