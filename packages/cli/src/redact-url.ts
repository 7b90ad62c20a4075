const URL_PARTS = /^([a-z][a-z0-9+.-]*:)?([^?]*)(.*)$/is
const PATH_SCHEME = /^(?:file|sqlite|memory):$/i
/** Hosts or a bucket, with ports, and a path that nothing before an @ or a colon could be the half of. */
const PLAIN_PLACE = /^\/\/[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*(?:\/[^:#]*)?$/
const PLAIN_PARAMETERS: Readonly<Record<string, RegExp>> = {
  endpoint: /^https?:\/\/[\w.-]+(?::\d{1,5})?\/?$/,
  prefix: /^[^@:]*$/,
  region: /^[^@:]*$/,
  'path-style': /^\w*$/,
  'conditional-put': /^\w*$/,
}

/**
 * Return a URL as it may be shown: if a user name, a password or a key could stand in it, whatever it was meant to be,
 * then only its scheme and `…`. Any other URL comes back as it is.
 */
export function redactUrl(url: string): string {
  const [, scheme = '', place = '', query = ''] = URL_PARTS.exec(url) ?? []
  const isPath = PATH_SCHEME.test(scheme)
  const isPlain = isPath ? isPlainPath(url.slice(scheme.length)) : isPlainPlace(scheme, place, query)
  return isPlain ? url : `${scheme}${place.startsWith('//') ? '//' : ''}…`
}

/** Tell whether what should be the path of a file begins as `user:password@host` does, or has a host before it. */
export const looksLikeCredentials = (path: string): boolean =>
  !/^[a-z]:[\\/]/i.test(path) && /^[/\\]{2}[^/]|^[/\\]*[^/\\]*:[^@]*@/.test(path)

/** An @ is part of a path only if the path begins as one. */
const isPlainPath = (path: string): boolean =>
  !looksLikeCredentials(path) && !/\?.*=/s.test(path) && (!path.includes('@') || /^(?:[a-z]:|\.{0,2})[\\/]/i.test(path))

/** An @ is part of names in S3 alone. */
function isPlainPlace(scheme: string, place: string, query: string): boolean {
  if (scheme === '') return !/[:@?]/.test(place + query)
  if (!PLAIN_PLACE.test(place) || (place.includes('@') && !/^s3:$/i.test(scheme))) return false
  return [...new URLSearchParams(query)].every(
    ([name, value]) => Object.hasOwn(PLAIN_PARAMETERS, name) && PLAIN_PARAMETERS[name]!.test(value),
  )
}
