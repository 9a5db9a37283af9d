export * from './web.ts';

/** Whether downloads may send `If-Range`. */
export const sendsIfRange = true;
