/** What Strands' offloader gives a storage: two bytes with the length of a content type, the content type, the content. */
const LENGTH_BYTES = 2
/** Content that came in no frame. */
const UNFRAMED = 'application/octet-stream'
/** Only text that is the same bytes again. */
const CONTENT_TYPE = /^[\w.+-]{1,99}\/[\w.+-]{1,99}$/

/** Take a frame apart. Bytes that are none, or that {@link frame} would not make again, are content as a whole. */
export function unframe(data: Uint8Array): { readonly contentType: string; readonly content: Uint8Array } {
  const start = LENGTH_BYTES + (data[1] ?? 0)
  const contentType = String.fromCharCode(...data.subarray(LENGTH_BYTES, start))
  const isFrame = data[0] === 0 && CONTENT_TYPE.test(contentType) && contentType !== UNFRAMED && start <= data.length
  return isFrame ? { contentType, content: data.subarray(start) } : { contentType: UNFRAMED, content: data }
}

/** Put together what {@link unframe} took apart. */
export function frame(contentType: string, content: Uint8Array): Uint8Array {
  if (contentType === UNFRAMED) return content
  const start = new TextEncoder().encode(`\0${String.fromCharCode(contentType.length)}${contentType}`)
  const data = new Uint8Array(start.length + content.length)
  data.set(start)
  data.set(content, start.length)
  return data
}
