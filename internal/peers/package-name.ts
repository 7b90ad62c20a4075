/** Return the package that a bare specifier names: `ai` of `ai/test`. */
export function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
