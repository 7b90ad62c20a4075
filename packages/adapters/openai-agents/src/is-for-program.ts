/** Whether a program that the provider runs has made a call, or gets a result: no model reads it. */
export function isForProgram(item: object): boolean {
  return 'caller' in item && (Object(item.caller) as { readonly type?: unknown }).type === 'program'
}
