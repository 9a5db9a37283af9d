/** Where a storage request has its fields: at the top level of the body, or inside `data` (D21). */
export const REQUEST_FORMS = ['top', 'data'] as const;
export type RequestForm = (typeof REQUEST_FORMS)[number];
