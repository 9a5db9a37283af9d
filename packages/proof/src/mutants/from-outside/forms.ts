import { MutatedAnswer } from '../../proxy/messages.ts';
import type { Mutant } from '../mutant.ts';
import { deleteFile } from '../support/files.ts';
import { rememberGrants } from '../support/grants.ts';
import { fault } from './support/fault.ts';
import { keyOf, ofStored } from './support/of-uploads.ts';

const repairing = (
  rule: Mutant['rule'],
  field: string,
  breaks: string,
  isTaken?: (value: string | undefined, known: string[]) => boolean,
  companions: Mutant['companions'] = [],
): Mutant =>
  fault(
    rule,
    breaks,
    () => {
      const grants = rememberGrants();
      return {
        request: (request) => grants.repair(request, field, isTaken),
        answer: (answer, request) => grants.note(answer, request),
      };
    },
    companions,
  );
const FIELDS = [
  ['UP-SIGNATURE', 'Signature'],
  ['UP-TOKEN', 'x-store-security-token'],
  ['UP-META-FILE-ID', 'x-store-meta-fileid'],
  ['UP-KEY', 'key'],
] as const;

const startOf = (value = '') => value.slice(0, value.length / 2);

/** What upload targets make of forms. */
export const forms: readonly Mutant[] = [
  fault(
    'UP-FORM',
    'a form is answered well, and nothing is stored',
    (context) => ofStored((_, form) => deleteFile(context, keyOf(form))),
    ['UP-KEPT', 'UP-FILE', 'UP-FILE-ID', 'UP-URL-VERBATIM', 'UP-SUCCESS', 'UP-WHOLE', 'UP-BROKEN'],
  ),
  fault('UP-FORM', 'a quoted boundary is not found', {
    request: ({ isUpload, headers }) =>
      isUpload && /boundary="/.test(headers.get('Content-Type') ?? '')
        ? new MutatedAnswer(
            400,
            { 'Content-Type': 'application/xml' },
            '<Error><Code>MalformedPOSTRequest</Code></Error>',
          )
        : undefined,
  }),
  fault('UP-URL-VERBATIM', 'the address has a path that the target behind it does not know', {
    answer(answer, { operation }) {
      const { json } = answer;
      const data = json?.body?.data;
      if (operation !== 'getUploadMetaData' || !data?.url) return;
      data.url = `${data.url.replace(/\/$/, '')}/bucket%2Fone/?part=a%20b&x=1+2`;
      answer.json = json;
    },
    request(request) {
      if (!request.isUpload) return;
      if (request.target === '/') request.target = '/upload';
      else
        return new MutatedAnswer(
          404,
          { 'Content-Type': 'application/xml' },
          '<Error><Code>NoSuchBucket</Code></Error>',
        );
    },
  }),
  ...FIELDS.flatMap(([rule, field]) => [
    repairing(rule, field, 'any value is taken', (value) => value !== undefined && value !== ''),
    repairing(rule, field, 'it may be missing', (value) => value === undefined),
    repairing(rule, field, 'it may be empty', (value) => value === ''),
  ]),
  repairing('UP-SIGNATURE', 'Signature', 'it is compared by its first half', (value, known) =>
    known.some((one) => one !== value && startOf(one) === startOf(value)),
  ),
  ...FIELDS.map(([rule, field]) =>
    repairing(
      rule,
      field,
      'that of another grant is taken',
      (value, known) => !!value && known.includes(value),
    ),
  ),
  repairing('UP-KEY', 'key', 'a grant is good for every key below it', (value, known) =>
    known.some((one) => one !== value && value?.startsWith(one)),
  ),
];
