export { claimSameHeaders } from './claims.ts';
