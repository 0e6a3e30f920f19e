// SPDX-License-Identifier: Apache-2.0
//
// Source text of payments, Go.
#include "demo/source/files.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kMainGo =
    R"__(// payments: charges cards, and writes each charge into a ledger.
package main

import (
    "log"
    "net/http"
    "os"
)

type server struct {
    bank   *bank
    ledger *ledger
}

func main() {
    ledger, err := openLedger(os.Getenv("LEDGER_FILE"))
    if err != nil {
        log.Fatal(err)
    }
    s := &server{bank: newBank(os.Getenv("BANK_URL")), ledger: ledger}
    http.HandleFunc("POST /charges", s.charge)
    log.Fatal(http.ListenAndServe(":8080", nil))
}
)__";

constexpr std::string_view kChargeGo = R"__(package main

import (
    "encoding/json"
    "errors"
    "net/http"
)

type charge struct {
    Order  string `json:"order"`
    Token  string `json:"token"`
    Amount int64  `json:"amount"`
}

type receipt struct {
    Order string `json:"order"`
    Bank  string `json:"bank"`
    Entry uint64 `json:"entry"`
}

var errRefused = errors.New("card refused")

func (s *server) charge(w http.ResponseWriter, r *http.Request) {
    var c charge
    if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
        http.Error(w, err.Error(), http.StatusBadRequest)
        return
    }
    approval, err := s.bank.authorize(r.Context(), &c)
    if errors.Is(err, errRefused) {
        http.Error(w, err.Error(), http.StatusPaymentRequired)
        return
    }
    entry, err := s.ledger.append(&c, approval)
    if err != nil {
        http.Error(w, err.Error(), http.StatusInternalServerError)
        return
    }
    body, _ := json.Marshal(receipt{Order: c.Order, Bank: approval.ID, Entry: entry})
    w.Write(body)
}
)__";

constexpr std::string_view kLedgerGo = R"__(package main

import (
    "crypto/sha256"
    "encoding/json"
    "os"
    "sync"
)

// Every entry has the hash of the one before it, so that none can be changed later.
type ledger struct {
    mutex sync.Mutex
    file  *os.File
    last  [sha256.Size]byte
    count uint64
}

func openLedger(path string) (*ledger, error) {
    file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
    if err != nil {
        return nil, err
    }
    l := &ledger{file: file}
    return l, l.replay()
}

// Holds the lock while it syncs the file: other charges wait.
func (l *ledger) append(c *charge, a *approval) (uint64, error) {
    l.mutex.Lock()
    defer l.mutex.Unlock()
    line, err := json.Marshal(entry{Charge: c, Approval: a, Before: l.last})
    if err != nil {
        return 0, err
    }
    l.last = sha256.Sum256(line)
    if _, err := l.file.Write(line); err != nil {
        return 0, err
    }
    l.count++
    return l.count, l.file.Sync()
}

func (l *ledger) replay() error {
    lines := json.NewDecoder(l.file)
    for lines.More() {
        var e entry
        if err := lines.Decode(&e); err != nil {
            return err
        }
        l.count++
    }
    return nil
}
)__";

}  // namespace

std::span<const SourceFile> PaymentsSources() {
  static constexpr SourceFile kFiles[] = {
      {"main.go", kMainGo}, {"charge.go", kChargeGo}, {"ledger.go", kLedgerGo}};
  return kFiles;
}

}  // namespace flarestack::demo
