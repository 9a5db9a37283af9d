import type { Hooks, Json } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { itemsOf, leaveOutItems, putEntries, seesItems } from '../support/answers.ts';
import { toStorageRefusal } from '../support/refusals.ts';
import { readForm } from '../support/uploads.ts';
import { changing, fault, isCopy, keyOf, leavingOut, ofCopies, plainPath } from './fault.ts';

/** Items that fail though they should not. */
const failing = (isBad: (item: Json) => boolean): Hooks =>
  leavingOut((item) =>
    typeof item.srcPath === 'string' && typeof item.dstPath === 'string' && isBad(item)
      ? { code: 'INVALID_PARAM', message: 'no' }
      : undefined,
  );
/** Items that are done after the fact, as somebody who does not look at the path would. */
const letting = (what: string, pattern: RegExp): Mutant =>
  fault(
    'ST-COPY-PATH-REFUSED',
    `${what} is taken`,
    ofCopies((entries, items) => {
      for (const [index, entry] of entries.entries()) {
        const item = items[index];
        if (entry.code && item && (pattern.test(item.dstPath) || pattern.test(item.srcPath))) {
          delete entry.code;
          delete entry.message;
          entry.fileID = 'cloud://dev.bucket/x';
        }
      }
    }),
  );
/** Copies go elsewhere. */
const swapping = (
  rule: Mutant['rule'],
  breaks: string,
  toPath: (path: string) => string,
  companions: Mutant['companions'] = [],
) =>
  fault(
    rule,
    breaks,
    changing((item) => {
      if (typeof item.dstPath === 'string') item.dstPath = toPath(item.dstPath);
    }),
    companions,
  );

/** What stores make of copy paths. */
export const copyPaths: readonly Mutant[] = [
  swapping(
    'ST-COPY-CALL',
    'levels are lost, the last part is the name',
    (path) => path.replace(/^.*\/(?=[^/]*$)/, '/'),
    ['ST-COPY-CALL', 'ST-COPY-FILE-ID'],
  ),
  fault(
    'ST-COPY-CALL',
    'more than three levels are refused',
    failing(({ dstPath }) => plainPath(dstPath).split('/').length > 3),
  ),
  fault('ST-COPY-CALL', 'a copy into a folder that is not there fails', () => {
    const folders = new Set<string>();
    return {
      request(request) {
        if (request.isUpload) folders.add(keyOf(readForm(request)).replace(/[^/]*$/, ''));
        if (isCopy(request))
          leaveOutItems(request, ({ dstPath }) =>
            typeof dstPath === 'string' &&
            plainPath(dstPath).includes('/') &&
            !folders.has(plainPath(dstPath).replace(/[^/]*$/, ''))
              ? { code: 'NO_FOLDER', message: 'no' }
              : undefined,
          );
      },
      answer(answer, request) {
        if (isCopy(request)) putEntries(answer, request);
      },
    };
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
      ['a capital letter', /[A-Z]/],
      ['a name of digits only', /\/\d+$/],
      ['a name without a dot', /\/[^./]+$/],
      ['a name that ends with a dot', /[^/.]\.$/],
    ] as const
  ).map(([what, pattern]) =>
    fault(
      'ST-COPY-PATH-CHARACTERS',
      `${what} is refused`,
      failing(({ srcPath, dstPath }) => pattern.test(srcPath) || pattern.test(dstPath)),
    ),
  ),
  fault(
    'ST-COPY-PATH-CHARACTERS',
    'a source with an exclamation mark is refused',
    failing(({ srcPath }) => srcPath.includes('!')),
  ),
  swapping('ST-COPY-PATH-CHARACTERS', 'an asterisk becomes an underscore', (path) =>
    path.replaceAll('*', '_'),
  ),
  swapping('ST-COPY-PATH-CHARACTERS', 'paths are lower-cased', (path) => path.toLowerCase()),
  letting('a space', / /),
  letting('a plus', /\+/),
  letting('a percent sign', /%/),
  letting('a backslash', /\\/),
  letting('a colon', /:/),
  letting('a question mark', /\?/),
  letting('a number sign', /#/),
  letting('an umlaut', /[äöüé]/i),
  letting('a character above U+9FFF', /[\ua000-\uffff]/),
  letting('a character below U+4E00', /[\u3000-\u4dff]/),
  letting('an emoji', /[\u{1f000}-\u{1ffff}]/u),
  letting('a control character', /\p{Cc}/u),
  letting('a tilde', /~/),
  letting('an at sign', /@/),
  letting('a parenthesis', /[()]/),
  letting('an ampersand', /&/),
  letting('a line feed at the end', /\n$/),
  letting('a quotation mark', /"/),
  letting('a full-width letter', /[\uff00-\uffef]/),
  letting('Chinese beyond U+FFFF', /[\u{20000}-\u{2a6df}]/u),
  fault(
    'ST-COPY-PATH-REFUSED',
    'a source with a space is taken for one with another name',
    ofCopies((entries, items) =>
      entries.forEach((entry, index) => {
        if (entry.code && / /.test(items[index]?.srcPath)) {
          delete entry.code;
          delete entry.message;
        }
      }),
    ),
  ),
  fault('ST-COPY-PATH-REFUSED', 'a bad path fails the call', {
    ...seesItems,
    answer(answer, request) {
      const isBad = itemsOf(request).some(
        ({ srcPath, dstPath }) =>
          /[^\w/!.,*\u4e00-\u9fff-]/.test(srcPath) || /[^\w/!.,*\u4e00-\u9fff-]/.test(dstPath),
      );
      if (isCopy(request) && isBad && answer.status === 200)
        Object.assign(answer, toStorageRefusal(400, 'INVALID_PARAM'));
    },
  }),
  fault(
    'ST-COPY-PATH-ABSOLUTE',
    'the leading slash is part of the name',
    changing((item) => {
      for (const name of ['srcPath', 'dstPath'])
        if (typeof item[name] === 'string' && item[name].startsWith('/'))
          item[name] = `/_${item[name]}`;
    }),
    ['ST-COPY-CALL'],
  ),
  fault(
    'ST-COPY-PATH-ABSOLUTE',
    'a destination with a leading slash is refused',
    failing(({ dstPath }) => dstPath.startsWith('/')),
  ),
];
