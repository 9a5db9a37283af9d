/** The hand-written file that holds a place, from the root of the repository. */
export function toPlaceFile(place: string): string {
  const [target = '', pointer = ''] = place.split('#');
  if (target !== 'gateway.v1' && target !== 'storage.v2') return `spec/${target}`;
  const [, component, kind, name] = pointer.split('/');
  if (component !== 'components' || !name) return `spec/${target}/openapi.yaml`;
  const file = kind === 'securitySchemes' ? toKebabCase(name) : name;
  return `spec/${target}/components/${kind}/${file}.yaml`;
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
