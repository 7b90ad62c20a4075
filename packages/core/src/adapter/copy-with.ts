/**
 * Copy an object, such as a tool, with its prototype, accessors and hidden properties, and replace some properties.
 *
 * The original does not change. Accessors are copied, not called. Methods run on the copy, so an object whose class has private
 * fields needs its own functions for them.
 *
 * @example
 * ```ts
 * import { copyWith } from '@spillway/core/adapter'
 *
 * class Tool {
 *   name = 'read'
 *   title(): string {
 *     return `Tool ${this.name}`
 *   }
 * }
 * const tool = new Tool()
 * const copy = copyWith(tool, { name: 'write' })
 * console.assert(copy instanceof Tool && copy.title() === 'Tool write' && tool.name === 'read')
 * ```
 */
export function copyWith<Original extends object>(original: Original, properties: Partial<Original>): Original {
  const own = { ...Object.getOwnPropertyDescriptors(original), ...Object.getOwnPropertyDescriptors({ ...properties }) }
  return Object.create(Object.getPrototypeOf(original) as object | null, own) as Original
}
