/** Copy an object with its prototype and hidden properties, and replace some. Methods run on the copy. */
export function copyWith<Original extends object>(original: Original, properties: Partial<Original>): Original {
  const own = { ...Object.getOwnPropertyDescriptors(original), ...Object.getOwnPropertyDescriptors({ ...properties }) }
  return Object.create(Object.getPrototypeOf(original) as object | null, own) as Original
}
