/** What a promise gives, if it does in time; else the fallback. A rejection counts as late. */
export async function within<T, F>(ms: number, promise: Promise<T>, fallback: F): Promise<T | F> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<F>((done) => {
    timer = setTimeout(() => done(fallback), ms);
  });
  try {
    return await Promise.race([promise.catch(() => fallback), late]);
  } finally {
    clearTimeout(timer);
  }
}
