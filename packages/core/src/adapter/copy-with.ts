/**
 * Copy an object, such as a tool, with its prototype, accessors and hidden properties, and replace some properties.
 *
 * Methods run on the copy, so a class with private fields must define functions for them.
 */
export function copyWith<Original extends object>(original: Original, properties: Partial<Original>): Original {
  const own = { ...Object.getOwnPropertyDescriptors(original), ...Object.getOwnPropertyDescriptors({ ...properties }) }
  return Object.create(Object.getPrototypeOf(original) as object | null, own) as Original
}
