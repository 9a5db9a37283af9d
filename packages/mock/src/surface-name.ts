/** The kinds of address that share the port. */
export type SurfaceName = 'gateway' | 'storage' | 'upload' | 'link';
