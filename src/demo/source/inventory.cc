// SPDX-License-Identifier: Apache-2.0
//
// Source text of inventory, Java.
#include "demo/source/files.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kStockServiceJava = R"__(package shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Stock per item, and the part of it that orders have reserved. */
public final class StockService {
  private static final String READ = "SELECT sku, amount, held FROM stock WHERE sku = ANY (?) FOR UPDATE";

  private final DataSource database;
  private final StockCache cache = new StockCache();

  public StockService(DataSource database) {
    this.database = database;
  }

  public StockEntry find(String sku) throws SQLException {
    StockEntry entry = cache.get(sku);
    if (entry == null) {
      entry = query(List.of(sku)).get(sku);
      cache.put(sku, entry);
    }
    return entry;
  }

  public Reservation reserve(Order order) throws SQLException {
    Map<String, StockEntry> stock = query(order.skus());
    Reservation reservation = new Reservation(order.id());
    for (OrderLine line : order.lines()) {
      StockEntry entry = stock.get(line.sku());
      if (entry == null || entry.free() < line.count()) {
        throw new SoldOutException(line.sku());
      }
      reservation.add(entry.hold(line.count()));
    }
    return reservation;
  }

  private Map<String, StockEntry> query(List<String> skus) throws SQLException {
    Map<String, StockEntry> found = new HashMap<>();
    try (Connection connection = database.getConnection();
        PreparedStatement read = connection.prepareStatement(READ)) {
      read.setArray(1, connection.createArrayOf("text", skus.toArray()));
      ResultSet rows = read.executeQuery();
      while (rows.next()) {
        StockEntry entry = StockEntry.of(rows);
        found.put(entry.sku(), entry);
      }
    }
    return found;
  }
}
)__";

constexpr std::string_view kStockCacheJava = R"__(package shop;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Saves a query for popular items. */
final class StockCache {
  private final Map<String, Cached> entries = new HashMap<>();

  private record Cached(StockEntry entry, Instant since) {}

  synchronized StockEntry get(String sku) {
    Cached cached = entries.get(key(sku));
    return cached == null ? null : cached.entry();
  }

  // The minute is part of the key, so that stale entries are not found. Nothing evicts them.
  private String key(String sku) {
    return sku + "@" + Instant.now().getEpochSecond() / 60;
  }

  synchronized void put(String sku, StockEntry entry) {
    Cached cached = new Cached(StockEntry.copyOf(entry), Instant.now());
    entries.put(key(sku), cached);
  }

  synchronized int size() {
    return entries.size();
  }
}
)__";

}  // namespace

std::span<const SourceFile> InventorySources() {
  static constexpr SourceFile kFiles[] = {{"StockService.java", kStockServiceJava},
                                          {"StockCache.java", kStockCacheJava}};
  return kFiles;
}

}  // namespace flarestack::demo
