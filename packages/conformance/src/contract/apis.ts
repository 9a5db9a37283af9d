/** The two documents of the contract, by the short names that the report uses. */
export const APIS = ['gateway', 'storage'] as const;
export type Api = (typeof APIS)[number];
