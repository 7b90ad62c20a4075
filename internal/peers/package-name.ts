/** Return the package in a bare specifier: `ai` in `ai/test`. */
export function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
