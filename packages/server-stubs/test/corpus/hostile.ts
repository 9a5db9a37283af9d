import type { JsonObject } from '../../generator/document.ts';
import { createRandom, pick } from './random.ts';

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

/**
 * Creates a document in which every text that an author may choose is hostile.
 *
 * @param text returns the text, which may be a different one each time
 */
function toDocument(text: () => string): JsonObject {
  let count = 0;
  const name = () => {
    count += 1;
    return `${text()}${count}`;
  };
  const [schema, scheme, property] = [name(), text(), text()];
  const inPath = name().replaceAll(/[{}/?#]/g, '');
  const pattern = () => text().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const reference = (to: string) => {
    const step = to.replaceAll('~', '~0').replaceAll('/', '~1');
    return { $ref: `#/components/schemas/${encodeURIComponent(step)}` };
  };
  const scalar = () => ({
    type: 'string',
    description: text(),
    default: text(),
    enum: [text(), text()],
    format: text(),
    pattern: pattern(),
  });
  const parameter = (place: string) => ({
    in: place,
    name: place === 'path' ? inPath : text(),
    required: place === 'path',
    description: text(),
    schema: scalar(),
  });
  const object = () => ({
    type: 'object',
    title: text(),
    description: text(),
    required: [property, name()],
    [`x-${text()}`]: text(),
    [name()]: text(),
    properties: {
      [property]: { ...scalar(), deprecated: true },
      [name()]: { const: { [text()]: [text()] } },
      [name()]: { enum: [text(), { [text()]: text() }], default: { [text()]: text() } },
      [name()]: { type: 'array', items: reference(schema) },
    },
    patternProperties: { [pattern()]: { description: text() } },
    dependentRequired: { [text()]: [text()] },
  });
  const choice = {
    description: text(),
    oneOf: [reference('First'), reference('Second')],
    discriminator: { propertyName: property, mapping: { [text()]: reference('First').$ref } },
  };
  const operation = {
    operationId: text(),
    summary: text(),
    description: text(),
    security: [{ [scheme]: [text()] }, { fixed: [] }],
    parameters: ['path', 'query', 'header', 'cookie'].map(parameter),
    requestBody: {
      content: {
        'application/json': { schema: reference(schema) },
        [`${name()}+json`]: { schema: { oneOf: [object(), { const: text() }] } },
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', properties: { [property]: scalar() }, required: [property] },
        },
        [`text/${text()}`]: { schema: scalar() },
        [`${text()}*`]: {},
      },
    },
    responses: {
      200: {
        description: text(),
        headers: { [property]: { required: true, description: text() }, [name()]: {} },
        content: {
          'application/json': { schema: reference(schema) },
          [`text/*${text()}*`]: { schema: scalar() },
          [`${text()}/*`]: { schema: object() },
        },
      },
      default: { description: text(), content: { [`*${text()}`]: {} } },
    },
  };
  return {
    openapi: '3.1.1',
    info: { title: text(), version: text(), description: text() },
    paths: { [`/a${name().replaceAll(/[{}/?#]/g, '')}/{${inPath}}`]: { post: operation } },
    components: {
      schemas: { [schema]: choice, First: object(), Second: object() },
      securitySchemes: {
        [scheme]: { type: 'apiKey', in: 'header', name: text() },
        fixed: { type: 'http', scheme: text() },
      },
    },
  };
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
