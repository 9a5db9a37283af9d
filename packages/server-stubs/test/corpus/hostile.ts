import type { JsonObject } from '../../generator/json.ts';
import { readYaml } from './documents.ts';
import { createRandom, pick } from './random.ts';

const hostile = readYaml('hostile.yaml');

const CODE = 'globalThis.hacked=1';

const NAMES =
  '__proto__ constructor prototype toString hasOwnProperty new get readonly default string schema11 Promise'.split(
    ' ',
  );

/** Texts that end a literal, template, comment or line, or that are names of members of every object. */
const PIECES = [
  "it's",
  `';${CODE};'`,
  `"];${CODE};["`,
  `\`;${CODE};type A=\``,
  `\`;};${CODE};type A={b:\``,
  `\${${CODE}}`,
  `*/${CODE};/*`,
  `\n${CODE}\n`,
  `\r${CODE}\r`,
  `\u2028${CODE}\u2028`,
  `\u2029export const a = 1;${CODE}//`,
  `\\';${CODE}//`,
  `\\\`;${CODE}//`,
  `\\\${${CODE}}`,
  '\\',
  '\0\x1b',
  '|&<>()[];:,?!#~1',
  '//# sourceMappingURL=a',
  '<!--',
  ...NAMES,
];

/** @param text returns the text, which may be a different one each time */
function toDocument(text: () => string): JsonObject {
  let count = 0;
  const name = () => {
    count += 1;
    return `${text()}${count}`;
  };
  const withoutBraces = () => name().replaceAll(/[{}/?#]/g, '');
  const [schema, scheme, property, step] = [name(), text(), text(), withoutBraces()];
  const replacements: Record<string, () => string> = {
    TEXT: text,
    NAME: name,
    PATH: withoutBraces,
    PATTERN: () => text().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
    SCHEMA: () => schema,
    REFERENCE: () => encodeURIComponent(schema.replaceAll('~', '~0').replaceAll('/', '~1')),
    SCHEME: () => scheme,
    PROPERTY: () => property,
    STEP: () => step,
  };
  const words = new RegExp(Object.keys(replacements).join('|'), 'g');
  const toHostile = (word: string) => JSON.stringify(replacements[word]?.()).slice(1, -1);
  return JSON.parse(JSON.stringify(hostile).replace(words, toHostile));
}

/** Documents of hostile texts: of one fragment each, of combinations, and of nothing but prototypes. */
export function createHostileDocuments(seed: number): JsonObject[] {
  const random = createRandom(seed);
  const piece = () => pick(PIECES as [string, ...string[]], random);
  return [
    ...Array.from({ length: 5 }, () => toDocument(piece)),
    toDocument(() => piece() + piece() + piece()),
    toDocument(() => '__proto__'),
  ];
}
