/**
 * What every deployment of every OpenAPI document has to do. Unlike the rules of the contract, they are about
 * any document; results are per rule and operation: `DOC-STATUS GET /items`.
 */
export const DOCUMENT_RULES = {
  'DOC-STATUS': 'The status of every response to a valid request is documented.',
  'DOC-MEDIA': 'The content type of a response is documented for its status.',
  'DOC-SCHEMA': 'The body of a response matches the schema of its status and media type.',
  'DOC-HEADER': 'A response has every required header, and its headers match their schemas.',
  'DOC-INVALID': 'A request that breaks a constraint of the document is rejected with a 4xx.',
  'DOC-5XX': 'No request gets a 5xx, except a documented 501 or 503.',
  'DOC-SSE': 'The data of every event of an event stream matches the schema of the stream.',
  'DOC-SEQUENCE':
    'What a list returns or a request creates can be read, until it is deleted; documented links can be followed.',
} as const;

export type DocumentRule = keyof typeof DOCUMENT_RULES;

export const DOCUMENT_RULE_IDS = Object.keys(DOCUMENT_RULES) as DocumentRule[];
