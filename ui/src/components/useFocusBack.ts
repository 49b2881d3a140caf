import { useEffect } from "react";

/** A dialog that is taken away gives the focus back to what opened it, if that is still there. */
export function useFocusBack(opened = true): void {
  useEffect(() => {
    if (!opened) return undefined;
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [opened]);
}
