/** A PDF with these lines on its pages, as small as one can be. */
import { deflateSync } from "node:zlib";

/** `raw`: what stands on every page in the language of PDFs, in place of its lines. */
export function pdf(pages: readonly (readonly string[])[], raw?: string): Buffer {
  const objects: (string | Buffer)[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((lines, index) => {
      const words = lines.map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`).join(" ");
      const data = deflateSync(Buffer.from(raw ?? `BT /F1 12 Tf 72 720 Td 14 TL ${words} ET`, "latin1"));
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        Buffer.concat([Buffer.from(`<< /Length ${data.length} /Filter /FlateDecode >>\nstream\n`), data, Buffer.from("\nendstream")]),
      ];
    }),
  ];
  let file = Buffer.from("%PDF-1.4\n");
  const places = objects.map((object, index) => {
    const at = file.length;
    file = Buffer.concat([file, Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.concat([file, Buffer.from(end)]);
}
