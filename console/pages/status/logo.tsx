import { useState } from 'preact/hooks';
import { asFailure, call } from '#console/api/call.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';

/** Uploads and removes the logo of a status page. @param path of the page in the API */
export function Logo({ path, why, onChange }: { path: string; why: string | undefined; onChange: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);

  async function change(method: 'PUT' | 'DELETE', file?: File): Promise<void> {
    setBusy(true);
    try {
      await call(method, `${path}/logo`, file && { data: await base64Of(file) });
      setProblem(undefined);
      showToast(file ? 'The logo is changed.' : 'The logo is removed.');
      onChange();
    } catch (error) {
      setProblem(asFailure(error).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <div class="logo-upload">
      <label>
        Image: PNG, JPEG or WebP, at most 100 KB
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp"
          disabled={busy || why !== undefined}
          aria-describedby="logo-problem"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file) void change('PUT', file);
            // Without this, choosing the same file again after an error sends no event.
            currentTarget.value = '';
          }}
        />
      </label>
      <p class="field-error" id="logo-problem" role="status">
        {problem}
      </p>
      <Button why={why} busy={busy} onClick={() => void change('DELETE')}>
        Remove logo
      </Button>
    </div>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
